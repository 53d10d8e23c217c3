import { counted } from '../../lib/counted.ts'
import type { readContent } from '../../owner/read-content.ts'
import { timeOf } from '../account/security/shown-values.ts'
import { type Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import type { DataOf, DeskPage } from './page.ts'
import type { DeskParts } from './parts.ts'
import { chosen, chosenInMarkdown, shortMoment } from './shown-values.ts'

export const CONTENT_PATH = '/owner/content'
const CALL = 'GET /api/owner/content'

type Content = DataOf<typeof readContent>
type Fault = Content['faults'][number]
type Waiting = Content['drafts'][number]

export function contentPage({ config }: DeskParts): DeskPage {
  const howToRead =
    config.mode === 'production'
      ? 'The service reads the folder when it starts and at SIGHUP.'
      : 'In development, the service reads a file when it is saved.'
  return {
    path: CONTENT_PATH,
    tab: CONTENT_PATH,
    description: 'What is wrong with the content folder, what will appear, and drafts.',
    calls: [CALL],
    scripts: ['relative-times'],
    async read({ perform }) {
      const content = await perform<Content>(CALL)
      return {
        title: 'Content',
        main: () => html`<div class="desk-head"><h1>Content</h1> <p class="meta">${counted(content.posts, 'post')}, ${counted(content.pages, 'page')}; read ${timeOf(content.readAt)}</p></div>
${state(content, howToRead)}
${faults('Faults', content.faults, content.faultCount)}
${faults('Warnings', content.warnings, content.warningCount)}
${scheduled(content.scheduled)}
${drafts(content)}`,
        markdown: () => inMarkdown(content, howToRead),
      }
    },
  }
}

function state({ exists, faultCount, warningCount }: Content, howToRead: string): Html {
  if (!exists)
    return html`<div class="empty"><p>There is no content folder, so the site has its home page only.</p>
<p>Create the folder that CONTENT_DIR names, with a file <code>site.yaml</code> that says <code>title: My site</code>. <code>portico new post "Hello"</code> writes a first post into it.</p></div>`
  if (faultCount > 0)
    return html`<p class="soft">The site is published without the faulty parts. Correct the files. ${howToRead}</p>`
  return html`<p class="calm">${icon('check')}<span>Nothing is wrong${warningCount > 0 && ', except for warnings'}. ${howToRead}</span></p>`
}

function faults(title: string, listed: Fault[], count: number): Html | undefined {
  if (count === 0) return undefined
  return html`<h2>${title} <span class="count">${count}</span></h2>
<table class="dense content-faults">
<caption class="unseen">${title}</caption>
<thead><tr><th scope="col" class="file">File</th><th scope="col">Problem</th></tr></thead>
<tbody>
${listed.map(
  ({
    file,
    line,
    problem,
  }) => html`<tr><td class="name"><strong>${chosen(`${file}:${line}`)}</strong></td><td class="email">${chosen(problem)}</td></tr>
`,
)}</tbody>
</table>
${more(count - listed.length)}`
}

function more(count: number): Html | undefined {
  return count > 0 ? html`<p class="meta">${count} more: “portico content check” lists all of them.</p>` : undefined
}

function scheduled(listed: Waiting[]): Html {
  return html`<h2>Will appear <span class="count">${listed.length}</span></h2>
${
  listed.length > 0
    ? table('Will appear', listed, 'When')
    : html`<p class="soft">Nothing is scheduled. A post or page with a date in the future appears by itself at that time.</p>`
}`
}

function drafts({ drafts: listed, draftCount }: Content): Html {
  return html`<h2>Drafts <span class="count">${draftCount}</span></h2>
${
  listed.length > 0
    ? html`${table('Drafts', listed, 'Date')}${more(draftCount - listed.length)}`
    : html`<p class="soft">There is no draft. <code>portico new post "Title"</code> begins one.</p>`
}`
}

function table(caption: string, listed: Waiting[], when: string): Html {
  return html`<table class="dense">
<caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Title</th><th scope="col">File</th><th scope="col">Address</th><th scope="col" class="when">${when}</th></tr></thead>
<tbody>
${listed.map(
  ({ title, file, path, date }) => html`<tr>
<td class="name"><strong>${chosen(title || path)}</strong></td>
<td class="email">${chosen(file)}</td>
<td>${chosen(path)}</td>
<td class="when">${date && shortMoment(date)}</td>
</tr>
`,
)}</tbody>
</table>`
}

function inMarkdown(content: Content, howToRead: string): string {
  const faultLine = ({ file, line, problem }: Fault) =>
    `- ${chosenInMarkdown(`${file}:${line}`)}: ${chosenInMarkdown(problem)}`
  const waitingLine = ({ title, file, path, date }: Waiting) =>
    `- ${[title || path, file, path, date ?? 'no date'].map(chosenInMarkdown).join(', ')}`
  const list = (title: string, lines: string[]) => `## ${title}\n\n${lines.join('\n') || 'None.'}`
  return [
    content.exists
      ? `${counted(content.posts, 'post')}, ${counted(content.pages, 'page')}, read ${content.readAt}. ${howToRead}`
      : 'There is no content folder.',
    list(`Faults (${content.faultCount})`, content.faults.map(faultLine)),
    list(`Warnings (${content.warningCount})`, content.warnings.map(faultLine)),
    list('Will appear', content.scheduled.map(waitingLine)),
    list(`Drafts (${content.draftCount})`, content.drafts.map(waitingLine)),
  ].join('\n\n')
}
