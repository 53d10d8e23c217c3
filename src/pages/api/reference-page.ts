import type { Rendered } from '../../content/markdown.ts'
import { mapOneByOne } from '../../lib/one-by-one.ts'
import { Html, html } from '../html.ts'
import { markdownPath } from '../layout.ts'
import { scriptPath } from '../scripts.ts'
import type { SitePage } from '../site-pages.ts'
import { callSection, fieldTable } from './call-section.ts'
import { fieldsOf } from './fields.ts'
import { type NavigationGroup, navigation } from './navigation.ts'
import type { Api } from './operations.ts'
import { referenceMarkdown } from './reference-markdown.ts'

/** An API with the addresses of its page and its OpenAPI document. */
export interface Reference {
  api: Api
  path: string
  openApiPath: string
}

/** A text of the description in HTML. */
export type RenderedGuide = { html: string } & Pick<Rendered, 'headings'>

/** The reference of an API: navigation, descriptions and examples, beside each other on wide screens. */
export async function referencePage(
  { api, path, openApiPath }: Reference,
  render: (markdown: string) => RenderedGuide,
): Promise<SitePage> {
  const { title, description, baseUrl, groups, errorsId, failure, errorCodes } = api
  const [guide, errorGuide] = [render(api.guide), render(api.errorGuide)]
  const { lead, details } = splitLead(description)
  const addressOf = (code: string) => `#${errorCodes.includes(code) ? errorCodeId(code) : errorsId}`
  const contents: NavigationGroup[] = [
    { name: 'Guide', entries: api.guideHeadings },
    ...groups.map(({ name, calls }) => ({ name, entries: calls.map((call) => ({ ...call, title: call.name })) })),
    { name: 'Errors', entries: [{ id: errorsId, title: 'Error fields' }, ...errorGuide.headings.values()] },
  ]
  const sections = await mapOneByOne(
    groups,
    ({ id, name, description, calls }) => html`<section aria-labelledby="${id}">
<div class="group-head">${heading(id, name)}
<p>${description}.</p></div>
${calls.map((call) => callSection(call, baseUrl, addressOf))}</section>
`,
  )
  return {
    path,
    title,
    description,
    isWide: true,
    scripts: [scriptPath('copy-code')],
    markdown: referenceMarkdown(api, baseUrl + path),
    main: html`<article class="api">
<header class="api-head"><h1>${title}</h1>
<p class="lead">${lead}</p>
${details && html`<p>${details}</p>`}
<p class="api-links"><span>Base URL <code>${baseUrl}</code></span> <a href="${openApiPath}">OpenAPI document</a> <a href="${markdownPath(path)}">As markdown</a></p></header>
<div class="api-body">
${navigation(title, contents)}
<div class="api-main">
${guide.html && html`<div class="guide">${new Html(withShellClass(guide.html))}</div>`}
${sections}<section class="guide" aria-labelledby="${errorsId}">
<div class="group-head">${heading(errorsId, 'Errors')}
<p>All errors have the same fields.</p></div>
${fieldTable('Fields', fieldsOf(failure), 'optional')}
${withErrorIds(errorGuide.html, errorCodes)}
</section>
</div>
</div>
</article>`,
  }
}

/** The first sentence of a description, and the others. */
export function splitLead(description: string): { lead: string; details: string } {
  const [lead = '', ...details] = description.split(/(?<=\.) /)
  return { lead, details: details.join(' ') }
}

function heading(id: string, title: string): Html {
  return html`<h2 id="${id}">${title} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h2>`
}

const errorCodeId = (code: string) => `error-${code}`

/**
 * The code of a guide is for a shell. It names no language in its markdown: a site without other code would start Shiki
 * for it, and change the style sheet of all pages when the code is highlighted.
 */
function withShellClass(guide: string): string {
  return guide.replaceAll('<pre tabindex="0"><code>', '<pre tabindex="0"><code class="language-sh">')
}

/** Gives the rows of the table of error codes ids, to which the calls link. */
function withErrorIds(guide: string, codes: string[]): Html {
  const rest = new Set(codes)
  return new Html(
    guide.replace(/<tr>(\s*<td[^>]*><code>)([a-z_]+)(?=<\/code>)/g, (row, start, code) =>
      rest.delete(code) ? `<tr id="${errorCodeId(code)}">${start}${code}` : row,
    ),
  )
}
