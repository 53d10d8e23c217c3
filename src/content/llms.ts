import { asMarkdown } from './as-markdown.ts'
import { groupByYear, type ItemGroup, splitBySize } from './group-by-year.ts'
import type { Site } from './site.ts'

interface Listed {
  title: string
  description: string
  markdownUrl: string
}

interface Lists {
  sections: { title: string; items: Listed[] }[]
  pages: Listed[]
  /** Newest first. */
  posts: (Listed & { date: Date })[]
  /** The lists of posts by year, tag and series. */
  postLists: Listed[]
}

interface TextFile {
  path: string
  text(): string
}

// Agents cut longer files: agentdocsspec.com recommends this limit.
const MAX_CHARACTERS = 50_000
// The frame of the file: the guidance, the links to the API, to lists of posts and to the further lists.
const FRAME_CHARACTERS = 10_000
const MAX_POST_LISTS_CHARACTERS = 4_000
// The rest of the file is shared by pages and posts.
const MAX_PAGES_CHARACTERS = 20_000
const LINE_OVERHEAD_CHARACTERS = 10

/**
 * `/llms.txt` in the format of llmstxt.org. If pages or posts are too many for one file, further lists have all of
 * them: those of the posts by year, such as `/llms/2024.txt`.
 */
export function createLlms(site: Site, baseUrl: string, lists: Lists, hasMailbox: boolean): TextFile[] {
  const { sections, pages, posts, postLists } = lists
  const inSections = sections.flatMap(({ items }) => items)
  const pageGroups = splitBySize('pages', [...inSections, ...pages], lineSize, MAX_CHARACTERS - FRAME_CHARACTERS)
  const pagesSize = sizeOf([...inSections, ...pages])
  const shownPages = pagesSize > MAX_PAGES_CHARACTERS ? MAX_PAGES_CHARACTERS : pagesSize
  const postsBudget = MAX_CHARACTERS - FRAME_CHARACTERS - shownPages
  const hasAllPages = pagesSize <= MAX_PAGES_CHARACTERS
  const hasAllPosts = sizeOf(posts) <= postsBudget
  const further = [
    ...(hasAllPages ? [] : pageGroups.map((group) => furtherList(group, 'pages'))),
    ...(hasAllPosts
      ? []
      : groupByYear(posts, lineSize, MAX_CHARACTERS - FRAME_CHARACTERS).map((group) => furtherList(group, 'posts'))),
  ]
  return [{ path: '/llms.txt', text: main }, ...further.map(({ path, text }) => ({ path, text }))]

  function main(): string {
    const pagesTaken = hasAllPages ? lists : firstPages(lists, MAX_PAGES_CHARACTERS)
    return text([
      ...guidance(site, baseUrl, hasMailbox),
      ...pagesTaken.sections.map(({ title, items }) => section(asMarkdown(title), items)),
      section(hasAllPosts ? 'Posts' : 'Latest posts', fitting(posts, postsBudget)),
      section('Pages', pagesTaken.pages),
      section(
        'All lists',
        further.map(({ path, title }) => ({ title, markdownUrl: baseUrl + path, description: '' })),
      ),
      ...otherSections(baseUrl, postLists),
    ])
  }

  function furtherList({ name, items }: ItemGroup<Listed>, kind: string) {
    const title = kind === name.split('-')[0] ? `All ${name}` : `All ${kind} of ${name}`
    const heading = `# ${asMarkdown(site.title)}: ${title.toLowerCase()}`
    const back = `> [Guidance and other lists](${baseUrl}/llms.txt)`
    return { path: `/llms/${name}.txt`, title, text: () => text([heading, back, section(title, items)]) }
  }
}

/** Files that are not markdown are named here, so that every link of the lists leads to markdown. */
function guidance(site: Site, baseUrl: string, hasMailbox: boolean): (string | false)[] {
  return [
    `# ${asMarkdown(site.title)}`,
    `> ${asMarkdown(site.description)}`,
    'Every page of this site is also markdown: send `Accept: text/markdown`, or add `.md` to its address. The site is public and needs no credentials; the account API does.',
    site.search && `To search it, request ${baseUrl}/search?q=words as markdown, or ${baseUrl}/search.json?q=words.`,
    site.mcp && `An MCP server (streamable HTTP, read-only, without credentials) is at ${baseUrl}/mcp.`,
    `OpenAPI 3.1: ${baseUrl}/openapi.json describes the public endpoints, ${baseUrl}/api/openapi.json accounts and sessions.`,
    `Feeds: ${baseUrl}/feed.xml (RSS 2.0), ${baseUrl}/feed.json. Sitemap: ${baseUrl}/sitemap.xml.`,
    hasMailbox &&
      `Mailbox of development: ${baseUrl}/dev/mailbox has the mails that the account API would have sent, with their codes; JSON with \`Accept: application/json\`, those to one address with \`?to=\`; for programs on the same machine only.`,
  ]
}

function otherSections(baseUrl: string, postLists: Listed[]): string[] {
  return [
    section('API', [
      { title: 'Both APIs', markdownUrl: `${baseUrl}/docs.md`, description: 'where to begin' },
      { title: 'Content API', markdownUrl: `${baseUrl}/docs/content-api.md`, description: 'the public endpoints' },
      { title: 'Account API', markdownUrl: `${baseUrl}/docs/account-api.md`, description: 'accounts and sessions' },
    ]),
    section('Optional', [
      {
        title: 'Everything at once',
        markdownUrl: `${baseUrl}/llms-full.txt`,
        description: 'the text of all pages and posts',
      },
      { title: 'Home', markdownUrl: `${baseUrl}/index.md`, description: 'the latest posts' },
      { title: 'Blog', markdownUrl: `${baseUrl}/blog.md`, description: 'all posts' },
      ...fitting(postLists, MAX_POST_LISTS_CHARACTERS),
    ]),
  ]
}

/** The first pages that fit, in their sections. */
function firstPages({ sections, pages }: Lists, max: number): Pick<Lists, 'sections' | 'pages'> {
  let left = max
  const take = (items: Listed[]) => {
    const taken = fitting(items, left)
    left -= sizeOf(taken)
    return taken
  }
  return { sections: sections.map(({ title, items }) => ({ title, items: take(items) })), pages: take(pages) }
}

function fitting<T extends Listed>(items: T[], max: number): T[] {
  let size = 0
  return items.filter((item) => {
    size += lineSize(item)
    return size <= max
  })
}

function sizeOf(items: Listed[]): number {
  return items.reduce((sum, item) => sum + lineSize(item), 0)
}

/** About the characters of the line. Backslashes before special characters are not counted. */
function lineSize({ title, description, markdownUrl }: Listed): number {
  return title.length + description.length + markdownUrl.length + LINE_OVERHEAD_CHARACTERS
}

function section(title: string, items: Listed[]): string {
  const lines = items.map((item) => {
    const note = asMarkdown(item.description)
    return `- [${asMarkdown(item.title.replace(/[[\]]/g, ''))}](${item.markdownUrl})${note && `: ${note}`}`
  })
  return lines.length > 0 ? `## ${title}\n\n${lines.join('\n')}` : ''
}

function text(blocks: (string | false)[]): string {
  return `${blocks.filter(Boolean).join('\n\n')}\n`
}
