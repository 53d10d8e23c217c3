import type { Providers } from '../../oauth/providers.ts'
import { type Html, html } from '../html.ts'

/** Links to the configured sign-in providers. */
export function providerLinks(providers: Providers, returnTo: string): Html | undefined {
  const configured = Object.values(providers).filter((provider) => provider !== undefined)
  if (configured.length === 0) return undefined
  const query = new URLSearchParams({ redirect_to: returnTo })
  return html`<p class="or"><span>or</span></p>
<ul class="providers">${configured.map(
    ({ name, title }) =>
      html`<li><a class="button quiet" href="/api/oauth/${name}/start?${query.toString()}">Continue with ${title}</a></li>`,
  )}</ul>`
}
