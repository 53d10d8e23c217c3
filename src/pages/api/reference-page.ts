import type { Rendered } from '../../content/markdown.ts'
import { Html, html } from '../html.ts'
import { markdownPath } from '../layout.ts'
import { scriptPath } from '../scripts.ts'
import type { SitePage } from '../site-pages.ts'
import { callSection, fieldTable, methodBadge } from './call-section.ts'
import { fieldsOf } from './fields.ts'
import type { Api } from './operations.ts'
import { referenceMarkdown } from './reference-markdown.ts'

/** The reference of an API: navigation, descriptions and examples, beside each other on wide screens. */
export function referencePage(
  api: Api,
  guide: Rendered,
  { path, openApiPath }: { path: string; openApiPath: string },
): SitePage {
  const { title, description, baseUrl, groups, errorsId, failure, errorCodes } = api
  const [, lead = '', details = ''] = /^(.*?\.)(?: (.*))?$/s.exec(description) ?? []
  const addressOf = (code: string) => `#${errorCodes.includes(code) ? errorCodeId(code) : errorsId}`
  return {
    path,
    title,
    description,
    isWide: true,
    scripts: [scriptPath('copy-code')],
    markdown: referenceMarkdown(api),
    main: html`<article class="api">
<header class="api-head"><h1>${title}</h1>
<p class="lead">${lead}</p>
${details && html`<p>${details}</p>`}
<p class="api-links"><span>Base URL <code>${baseUrl}</code></span> <a href="${openApiPath}">OpenAPI document</a> <a href="${markdownPath(path)}">As markdown</a></p></header>
<div class="api-body">
${navigation(api, guide)}
<div class="api-main">
${guide.html && html`<div class="guide">${withErrorIds(guide.html, errorCodes)}</div>`}
${groups.map(
  ({ id, name, description, calls }) => html`<section aria-labelledby="${id}">
<div class="group-head">${heading(id, name)}
<p>${description}.</p></div>
${calls.map((call) => callSection(call, baseUrl, addressOf))}</section>
`,
)}<section class="guide" aria-labelledby="${errorsId}">
${heading(errorsId, 'Errors')}
<p>All errors have the same fields.</p>
${fieldTable('Fields', fieldsOf(failure), 'optional')}
</section>
</div>
</div>
</article>`,
  }
}

function heading(id: string, title: string): Html {
  return html`<h2 id="${id}">${title} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h2>`
}

/** Folded on narrow screens. The style sheet unfolds it on wide ones. */
function navigation({ title, groups, errorsId }: Api, { headings }: Rendered): Html {
  const sections = headings.filter(({ level }) => level === 2)
  return html`<nav class="api-nav" aria-label="${title}"><details>
<summary>Contents</summary>
<div>
${
  sections.length > 0 &&
  html`<h2>Guide</h2>
<ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`
}
${groups.map(
  ({ name, calls }) => html`<h2>${name}</h2>
<ul>${calls.map(({ id, method, name }) => html`<li><a href="#${id}"><span>${name}</span> ${methodBadge(method)}</a></li>`)}</ul>
`,
)}<ul><li><a href="#${errorsId}">Errors</a></li></ul>
</div>
</details></nav>`
}

const errorCodeId = (code: string) => `error-${code}`

/** Gives the rows of the table of error codes ids, to which the calls link. */
function withErrorIds(guide: string, codes: string[]): Html {
  const known = new Set(codes)
  return new Html(
    guide.replace(/<tr>(\s*<td[^>]*><code>)([a-z_]+)(?=<\/code>)/g, (row, start, code) =>
      known.delete(code) ? `<tr id="${errorCodeId(code)}">${start}${code}` : row,
    ),
  )
}
