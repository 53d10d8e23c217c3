import { asMarkdown } from '../content/as-markdown.ts'
import { type Html, html } from './html.ts'
import { sideNav } from './side-nav.ts'

/** A section of site.yaml with its published pages. */
export interface PublishedSection {
  title: string
  pages: { path: string; markdownUrl: string; title: string; description: string }[]
}

/** The sections with all their pages, for the home page. */
export function sectionCards(sections: PublishedSection[]): Html | false {
  return (
    sections.length > 0 &&
    html`<ul class="section-cards">${sections.map(
      ({ title, pages }) => html`<li class="card"><h2 dir="auto">${title}</h2>
<ul>${pages.map((page) => html`<li><a href="${page.path}" dir="auto">${page.title}</a></li>`)}</ul></li>
`,
    )}</ul>`
  )
}

/** The same as markdown: a heading and a list for each section. */
export function sectionLists(sections: PublishedSection[]): string[] {
  return sections.map(({ title, pages }) => {
    const lines = pages.map(({ markdownUrl, title, description }) => {
      return `- [${asMarkdown(title)}](${markdownUrl})${description && `: ${asMarkdown(description)}`}`
    })
    return `## ${asMarkdown(title)}\n\n${lines.join('\n')}`
  })
}

/** The pages of all sections. */
export function sidebar(sections: PublishedSection[], current: string): Html {
  const lists = sections.map(({ title, pages }) => ({
    title,
    entries: pages.map(
      ({ path, title }) =>
        html`<a href="${path}" dir="auto"${path === current && html` aria-current="page"`}>${title}</a>`,
    ),
  }))
  return sideNav('Pages', 'All pages', lists)
}
