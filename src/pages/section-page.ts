import { asMarkdown } from '../content/as-markdown.ts'
import { html } from './html.ts'
import { type PublishedSection, sidebar } from './sections.ts'
import { neighbour, type PublishedPage, type SitePage, scriptsFor } from './site-pages.ts'
import { withContents } from './table-of-contents.ts'

/** A page of a section: beside the other pages of all sections, and with links to the one before and after it. */
export async function sectionPage(page: PublishedPage, sections: PublishedSection[]): Promise<SitePage> {
  const { path, title, description, modified, date, updated, tags } = page
  const body = await page.body()
  const pages = sections.flatMap((section) => section.pages.map((page) => ({ ...page, section: section.title })))
  const place = pages.findIndex((other) => other.path === path)
  const [previous, current, next] = [pages[place - 1], pages[place], pages[place + 1]]
  return {
    path,
    title,
    description,
    modified,
    date,
    updated,
    tags,
    previous: previous?.path,
    next: next?.path,
    isWide: true,
    ...scriptsFor(body.html),
    main: html`<div class="with-side">
${sidebar(sections, path)}
<div class="side-main">
<article class="page">
<header class="title-block" dir="auto"><p class="eyebrow">${current?.section}</p>
<h1>${title}</h1>
${description && html`<p class="lead" dir="auto">${description}</p>`}</header>
${withContents(body, page.toc)}
</article>
${
  (previous || next) &&
  html`<nav class="neighbours" aria-label="Previous and next page">
${previous && neighbour('Previous', 'prev', previous)}
${next && neighbour('Next', 'next', next)}
</nav>`
}
</div>
</div>`,
    markdown: [`# ${asMarkdown(title)}`, description && `> ${asMarkdown(description)}`, body.markdown.trim()]
      .filter(Boolean)
      .join('\n\n'),
    markdownLinks: [previous && `Previous: ${linkTo(previous)}`, next && `Next: ${linkTo(next)}`]
      .filter(Boolean)
      .join('\n\n'),
  }
}

function linkTo({ title, markdownUrl }: { title: string; markdownUrl: string }): string {
  return `[${asMarkdown(title)}](${markdownUrl})`
}
