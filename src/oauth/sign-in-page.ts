import type { FastifyInstance } from 'fastify'
import { sendDevPage } from '../dev-page.ts'
import { escapeHtml } from '../escape-html.ts'
import type { FindLivingSession } from '../sessions/authenticate.ts'
import type { Provider } from './identity.ts'
import type { OAuthParts } from './parts.ts'

const PATH = '/dev/sign-in'

/** A place to try the providers, and to see who this browser is signed in as. */
export function showSignIn(app: FastifyInstance, parts: OAuthParts, findLiving: FindLivingSession): void {
  const { providers, browserSession, store } = parts
  const configured = Object.values(providers).filter((provider) => provider !== undefined)

  app.get(PATH, async (request, reply) => {
    const claims = await browserSession.claims(request)
    const session = claims && (await findLiving(claims))
    const user = session && (await store.findById(session.userId))
    const whoever = user
      ? card('Signed in', {
          Name: `${user.first_name} ${user.last_name}`,
          'E-mail': user.email,
          Username: user.username,
        })
      : card('Not signed in', {})
    const ways = configured.map(link).join('\n') || '<p>No provider is configured: try <code>npm run demo</code>.</p>'
    return sendDevPage(reply, 'Sign in', 'Try the sign-in providers.', `${whoever}\n<article>${ways}</article>`)
  })
}

function card(title: string, facts: Record<string, string>): string {
  const rows = Object.entries(facts).map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`)
  return `<article><h2>${title}</h2><dl>${rows.join('')}</dl></article>`
}

function link({ name, title }: Provider): string {
  return `<p><a href="/api/oauth/${name}/start?redirect_to=${PATH}">Sign in with ${escapeHtml(title)}</a></p>`
}
