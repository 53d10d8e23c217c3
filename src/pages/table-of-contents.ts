import type { Rendered } from '../content/markdown.ts'
import type { Heading } from '../content/markup/headings.ts'
import { Html, html } from './html.ts'

const MIN_HEADINGS_FOR_CONTENTS = 3

/** The text, with a table of contents if it has several sections, or as the front matter says. */
export function withContents(
  { html: text, headings }: { html: string } & Pick<Rendered, 'headings'>,
  isWanted?: boolean,
): Html {
  const listed = [...headings.values()].filter(({ level }) => level <= 3)
  const isShown = listed.length > 0 && (isWanted ?? listed.length >= MIN_HEADINGS_FOR_CONTENTS)
  if (!isShown) return new Html(text)
  return html`<div class="with-contents">
<nav class="contents" aria-labelledby="contents"><div><h2 id="contents">On this page</h2>
<ol>${listed.map(contentsEntry)}</ol></div></nav>
${new Html(text)}
</div>`
}

function contentsEntry({ id, title, level }: Heading): Html {
  return html`<li${level === 3 && html` class="deeper"`}><a href="#${id}" dir="auto">${title}</a></li>`
}
