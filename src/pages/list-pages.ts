import { asMarkdown } from '../content/as-markdown.ts'
import {
  ARCHIVE_PATH,
  BLOG_PATH,
  type ListPage,
  type PostLists,
  pagesOf,
  SERIES_PATH,
  seriesPath,
  TAGS_PATH,
  yearPath,
} from '../content/post-lists.ts'
import { tagPath } from '../content/tags.ts'
import { mapInBackground } from '../lib/cooperative-scheduling.ts'
import { counted } from '../lib/counted.ts'
import { type Html, html } from './html.ts'
import { type ListedPost, postLines, postList } from './post-list.ts'
import type { PlannedPage, SitePage } from './site-pages.ts'
import type { Crumb } from './structured-data.ts'

/** The address of the markdown of the page at a path. */
type MarkdownUrl = (path: string) => string

type DatedPost = ListedPost & { modified: Date }

/** A list of posts with the texts of its page. */
interface PostsPage {
  path: string
  title: string
  description: string
  posts: DatedPost[]
  trail: Crumb[]
  /** Shown above the list, on its first page. */
  links?: Crumb[]
  /** Whether there are feeds of the list, beside its path. */
  hasFeeds?: boolean
}

const BLOG: Crumb = { title: 'Blog', path: BLOG_PATH }

/** All lists of posts: the blog, each tag, each year and each series, and the lists of tags, years and series. */
export async function listPages<Post extends DatedPost>(
  posts: Post[],
  { tags, years, series }: PostLists<Post>,
  latestOf: (posts: Post[]) => Date,
  markdownUrl: MarkdownUrl,
): Promise<PlannedPage[]> {
  const browse = [
    ...(years.length > 0 ? [{ title: 'Archive', path: ARCHIVE_PATH }] : []),
    ...(tags.length > 0 ? [{ title: 'Tags', path: TAGS_PATH }] : []),
    ...(series.length > 0 ? [{ title: 'Series', path: SERIES_PATH }] : []),
  ]
  const lists: (PostsPage & { posts: Post[] })[] = [
    { ...BLOG, description: 'All posts, newest first.', posts, trail: [], links: browse },
    ...tags.map(({ tag, posts }) => ({
      path: tagPath(tag),
      title: `Tagged “${tag.name}”`,
      description: `All posts about ${tag.name}, newest first.`,
      posts,
      trail: [BLOG, { title: 'Tags', path: TAGS_PATH }],
      hasFeeds: true,
    })),
    ...years.map(({ year, posts }) => ({
      path: yearPath(year),
      title: `Posts of ${year}`,
      description: `${counted(posts.length, 'post')}, newest first.`,
      posts,
      trail: [BLOG, { title: 'Archive', path: ARCHIVE_PATH }],
    })),
    ...series.map(({ series, posts }) => ({
      path: seriesPath(series),
      title: series.name,
      description: `A series of ${counted(posts.length, 'post')}, in the order of reading.`,
      posts,
      trail: [BLOG, { title: 'Series', path: SERIES_PATH }],
    })),
  ]
  const updated = latestOf(posts)
  const planned = await mapInBackground(lists, (list) => {
    const modified = latestOf(list.posts)
    return pagesOf(list.path, list.posts).map((page) => ({
      path: page.path,
      modified,
      card: { title: list.title },
      isContinuation: page.number > 1,
      build: () => postsPage(list, page, modified, markdownUrl),
    }))
  })
  return [
    ...planned.flat(),
    ...index(ARCHIVE_PATH, 'Archive', 'All posts, by year.', years, ({ year }) => [year, yearPath(year)]),
    ...index(TAGS_PATH, 'Tags', 'All posts, by tag.', tags, ({ tag }) => [tag.name, tagPath(tag)]),
    ...index(SERIES_PATH, 'Series', 'Posts that belong together.', series, ({ series }) => [
      series.name,
      seriesPath(series),
    ]),
  ]

  function index<Group extends { posts: Post[] }>(
    path: string,
    title: string,
    description: string,
    groups: Group[],
    entryOf: (group: Group) => [name: string, path: string],
  ): PlannedPage[] {
    if (groups.length === 0) return []
    const build = () => {
      const entries = groups.map((group) => {
        const [name, to] = entryOf(group)
        return { name, to, size: counted(group.posts.length, 'post') }
      })
      return indexPage({ path, title, description, modified: updated }, entries, markdownUrl)
    }
    return [{ path, modified: updated, card: { title }, build }]
  }
}

function postsPage(list: PostsPage, page: ListPage<DatedPost>, modified: Date, markdownUrl: MarkdownUrl): SitePage {
  const { number, count, items, previous, next } = page
  const title = number > 1 ? `${list.title}, page ${number}` : list.title
  const trail = number > 1 ? [...list.trail, { title: list.title, path: list.path }] : list.trail
  const links = number === 1 ? (list.links ?? []) : []
  return {
    path: page.path,
    title,
    description: list.description,
    modified,
    previous,
    next,
    trail,
    ...(list.hasFeeds && { feedsOf: { title: list.title, path: list.path } }),
    main: html`${upLink(trail)}<h1 dir="auto">${title}</h1>
<p class="lead" dir="auto">${list.description}</p>
${links.length > 0 && html`<p class="browse">${links.map(({ title, path }) => html`<a href="${path}">${title}</a> `)}</p>`}
${postList(items)}
${count > 1 && pageLinks(page)}`,
    markdown: [
      `# ${asMarkdown(title)}`,
      asMarkdown(list.description),
      links.map(({ title, path }) => `[${title}](${markdownUrl(path)})`).join(' · '),
      postLines(items),
      previous && `Previous: [page ${number - 1}](${markdownUrl(previous)})`,
      next && `Next: [page ${number + 1}](${markdownUrl(next)})`,
    ]
      .filter(Boolean)
      .join('\n\n'),
  }
}

/** The link above the title, to the list that this one is a part of. */
function upLink(trail: Crumb[]): Html | false {
  const parent = trail.at(-1)
  return (
    parent !== undefined &&
    html`<p class="eyebrow"><a href="${parent.path}" dir="auto">${parent.title}</a></p>
`
  )
}

function pageLinks({ number, count, previous, next }: ListPage<unknown>): Html {
  return html`<nav class="pages" aria-label="Pages of this list">
${previous && html`<a rel="prev" href="${previous}">Previous page</a>`}
<p>Page ${number} of ${count}</p>
${next && html`<a rel="next" href="${next}">Next page</a>`}
</nav>`
}

function indexPage(
  page: Pick<SitePage, 'path' | 'title' | 'description' | 'modified'>,
  entries: { name: string; to: string; size: string }[],
  markdownUrl: MarkdownUrl,
): SitePage {
  return {
    ...page,
    trail: [BLOG],
    main: html`${upLink([BLOG])}<h1>${page.title}</h1>
<p class="lead">${page.description}</p>
<ul class="index">
${entries.map(
  ({ name, to, size }) => html`<li><a href="${to}" dir="auto">${name}</a> <span>${size}</span></li>
`,
)}</ul>`,
    markdown: [
      `# ${page.title}`,
      page.description,
      entries.map(({ name, to, size }) => `- [${asMarkdown(name)}](${markdownUrl(to)}) (${size})`).join('\n'),
    ].join('\n\n'),
  }
}
