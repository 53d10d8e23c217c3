import { asMarkdown } from '../content/as-markdown.ts'
import { longDate } from '../lib/dates.ts'
import { time } from './dates.ts'
import { type Html, html } from './html.ts'

/** The properties of a post that a list shows. */
export interface ListedPost {
  path: string
  /** The address of its markdown. */
  markdownUrl: string
  title: string
  description: string
  date: Date
}

export function postList(posts: ListedPost[]): Html {
  if (posts.length === 0) return html`<p class="empty">No posts yet.</p>`
  return html`<ul class="posts">
${posts.map(
  ({ path, title, description, date }) => html`<li>${time(date)}
<div dir="auto"><a href="${path}">${title}</a>
${description && html`<p>${description}</p>`}</div></li>
`,
)}</ul>`
}

export function postLines(posts: ListedPost[]): string {
  return posts
    .map(
      ({ markdownUrl, title, description, date }) =>
        `- [${asMarkdown(title)}](${markdownUrl}) (${longDate(date)})${description && `: ${asMarkdown(description)}`}`,
    )
    .join('\n')
}
