import { asMarkdown } from '../../content/as-markdown.ts'
import { html } from '../html.ts'
import { markdownPath } from '../layout.ts'
import { plainPage, type SitePage } from '../site-pages.ts'
import { type Reference, splitLead } from './reference-page.ts'

export const INDEX_PATH = '/docs'
const ABOUT = {
  path: INDEX_PATH,
  title: 'API',
  description: 'Two APIs: one for accounts, and one for what the site publishes.',
}

/** The entry page of the references. */
export function indexPage(references: Reference[]): SitePage {
  const [baseUrl] = references.map(({ api }) => api.baseUrl)
  const cards = references.map(({ api, path, openApiPath }) => ({
    ...api,
    path,
    openApiPath,
    count: api.groups.flatMap(({ calls }) => calls).length,
    start: splitLead(api.description).lead,
  }))
  const files = [
    ...cards.map(({ openApiPath, title }) => [openApiPath, `The ${title} as an OpenAPI 3.1 document`] as const),
    ['/llms.txt', 'Guidance for assistants, with links to all of this'] as const,
    ['/llms-full.txt', 'The text of all pages and posts'] as const,
  ]
  const body = html`<ul class="api-cards">${cards.map(
    ({ path, title, start, count, groups, guideHeadings, openApiPath }) => html`<li class="card">
<h2><a href="${path}">${title}</a></h2>
<p>${start}</p>
<p class="meta">${count} calls: ${groups.map(({ name }) => name).join(', ')}</p>
${guideHeadings.length > 0 && html`<p class="api-links">${guideHeadings.map(({ id, title }) => html`<a href="${path}#${id}">${title}</a> `)}</p>`}
<p class="api-links"><a href="${openApiPath}">OpenAPI document</a> <a href="${markdownPath(path)}">As markdown</a></p>
</li>
`,
  )}</ul>
<h2 id="for-programs">For programs and assistants</h2>
<p>Every page of the site is also markdown, for a request that asks for it:</p>
<pre tabindex="0" data-language="sh"><code class="language-sh">curl -H 'Accept: text/markdown' ${baseUrl}/docs</code></pre>
<div class="table" tabindex="0" role="group" aria-label="Table: files for programs"><table><tbody>${files.map(([path, meaning]) => html`<tr><td><a href="${path}">${path}</a></td><td class="long">${meaning}</td></tr>`)}</tbody></table></div>`
  const markdown = [
    ...cards.map(
      ({ path, title, start, count }) =>
        `- [${asMarkdown(title)}](${baseUrl}${markdownPath(path)}): ${start} ${count} calls`,
    ),
    '\n## For programs and assistants\n',
    `Every page of the site is also markdown, for a request that asks for it:\n\n\`\`\`sh\ncurl -H 'Accept: text/markdown' ${baseUrl}/docs\n\`\`\`\n`,
    ...files.map(([path, meaning]) => `- [${path}](${baseUrl}${path}): ${meaning}`),
  ].join('\n')
  return plainPage(ABOUT, { html: body.text, markdown }, 'api-index')
}
