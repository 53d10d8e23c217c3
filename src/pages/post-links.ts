import { asMarkdown } from '../content/as-markdown.ts'
import { type SeriesPosition, seriesPath } from '../content/post-lists.ts'
import { type Html, html } from './html.ts'
import { markdownPath } from './layout.ts'
import { type ListedPost, postLines, postList } from './post-list.ts'

/** "Part 2 of 5 of …", with links to the other parts. */
export function seriesBox({ series, part, count, near }: SeriesPosition<ListedPost>): Html {
  const title = near.length < count ? 'Parts before and after' : 'All parts'
  return html`<nav class="parts-of-series" aria-label="Series">
<p>Part ${part} of ${count} of <a href="${seriesPath(series)}" dir="auto">${series.name}</a></p>
<details><summary>${title}</summary>
<ol start="${near[0]?.part ?? 1}">${near.map(({ part: other, post }) => html`<li>${other === part ? html`<b aria-current="page" dir="auto">${post.title}</b>` : html`<a href="${post.path}" dir="auto">${post.title}</a>`}</li>`)}</ol></details>
</nav>`
}

export function seriesLine({ series, part, count, near }: SeriesPosition<ListedPost>): string {
  // Every post of the series has an address on this site.
  const url = new URL(markdownPath(seriesPath(series)), near[0]?.post.markdownUrl)
  return `Part ${part} of ${count} of [${asMarkdown(series.name)}](${url.href})`
}

export function relatedPosts(posts: ListedPost[]): Html | false {
  return (
    posts.length > 0 &&
    html`<section class="related" aria-labelledby="related-posts"><h2 id="related-posts">Related posts</h2>
${postList(posts)}</section>`
  )
}

export function relatedLines(posts: ListedPost[]): string {
  return posts.length > 0 ? `## Related posts\n\n${postLines(posts)}` : ''
}
