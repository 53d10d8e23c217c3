import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Calendar } from '../content/calendar-days.ts'
import type { Document } from '../content/document.ts'
import type { ContentFault } from '../content/fault.ts'
import { brokenLinks, linkFiles } from '../content/file-links.ts'
import type { Highlighter } from '../content/highlight.ts'
import { isPublic, type Library, type Page, type Post } from '../content/library.ts'
import type { Rendered } from '../content/markdown.ts'
import { missingPictures } from '../content/pictures.ts'
import type { Tag } from '../content/tags.ts'
import type { Representation } from '../http/representation.ts'
import { apiDocs } from '../pages/api-docs.ts'
import { draftPages, type WaitingPage } from '../pages/drafts.ts'
import { type Frame, markdownPath } from '../pages/layout.ts'
import {
  blogPage,
  homePage,
  type PublishedPage,
  type PublishedPost,
  plainPage,
  postPage,
  tagPage,
} from '../pages/site-pages.ts'
import {
  attachmentRepresentation,
  draftRepresentation,
  fileRepresentation,
  type PageVariants,
  pageVariants,
} from './page-variants.ts'
import { FAVICON, graphFile, publicFiles } from './public-files.ts'

/** Everything the public can get, by address, ready to be sent. */
export interface Publication {
  /** Pages answer in the form that is asked for. */
  pages: Map<string, PageVariants>
  files: Map<string, Representation>
  /** What is not public yet, for the eyes of its author; none in production. */
  drafts: Map<string, Representation>
  frame: Frame
  /** What is wrong with the content that shows only when all of it is put together. */
  faults: ContentFault[]
  /** When the next post is due to appear; the publication is out of date then. */
  nextChange: Date | undefined
  /** What its markdown has become: rendering is the slowest part, and most of it stays the same. */
  rendered: Map<string, Rendered>
}

interface Sources {
  library: Library
  calendar: Calendar | undefined
  /** The API descriptions to show as pages, by the name of their page. */
  descriptions: Record<string, object>
  render: (markdown: string) => Rendered
  highlighter: Highlighter
  baseUrl: string
  showsDrafts: boolean
  /** Whether mails are kept in the mailbox of development. */
  hasMailbox: boolean
}

const STYLES = ['../pages/site.css', '../pages/account/account.css'].map((file) =>
  readFile(new URL(file, import.meta.url), 'utf8'),
)
const CSS = (await Promise.all(STYLES)).join('\n')
const ICONS = ['/favicon.svg', '/favicon.png', '/favicon.ico']

/** Makes all of it; what is as it was in the former publication is taken from there. */
export async function publish(sources: Sources, now: Date, former?: Publication): Promise<Publication> {
  const { library, baseUrl, highlighter, calendar } = sources
  const { site, attachments } = library
  const isDue = (document: Post | Page) => isPublic(document, now)
  // An author may date a change that is yet to come.
  const past = (modified: Date, published = now) => (modified <= now ? modified : published)
  const rendered = new Map<string, Rendered>()
  const addresses = new Map([...library.posts.map(postAddress), ...library.pages.map(pageAddress)])
  const posts = await oneByOne(library.posts.filter(isDue), publishedPost)
  const documents = await oneByOne(library.pages.filter(isDue), publishedPage)
  const plain = documents.filter(({ path }) => path !== '/')
  const touched = latest([...posts, ...documents].map(({ modified }) => modified))

  const sitePages = [
    homePage(
      site,
      documents.find(({ path }) => path === '/'),
      posts,
      calendar,
      touched,
    ),
    blogPage(posts, latest(posts.map(({ modified }) => modified))),
    ...posts.map((post, index) => postPage(post, { newer: posts[index - 1], older: posts[index + 1] })),
    ...tagsOf(posts).map(([tag, tagged]) => tagPage(tag, tagged, latest(tagged.map(({ modified }) => modified)))),
    ...plain.map((page) => plainPage(page, page)),
    ...apiDocs(sources.descriptions, render),
  ]
  const drafts = sources.showsDrafts ? draftPages(await waitingPages(), baseUrl) : []

  const css = CSS + highlighter.css()
  const stylesheet = `/assets/site.${createHash('sha256').update(css).digest('hex').slice(0, 12)}.css`
  const ownIcon = ICONS.find((path) => attachments.has(path))
  const frame: Frame = { site, baseUrl, stylesheet, icon: ownIcon ?? '/favicon.svg' }
  const texts = [
    ...(await publicFiles(frame, sitePages, posts, plain, touched, sources.hasMailbox)),
    [stylesheet, 'text/css; charset=utf-8', css],
    ['/openapi.json', 'application/json; charset=utf-8', JSON.stringify(sources.descriptions['content-api'])],
    ...(ownIcon ? [] : [['/favicon.svg', 'image/svg+xml', FAVICON]]),
    ...(calendar ? [graphFile(calendar, CSS)] : []),
  ] as [path: string, type: string, text: string][]

  const files = await prepared(attachments, attachmentRepresentation)
  for (const [path, type, text] of texts)
    files.set(path, await fileRepresentation(path, type, text, former?.files.get(path)))
  // Where it is looked for by whoever does not read the page.
  const icon = files.get(frame.icon)
  if (icon && !files.has('/favicon.ico')) files.set('/favicon.ico', icon)

  return {
    pages: await prepared(byPath(sitePages), (page) => pageVariants(page, frame, former?.pages.get(page.path))),
    files,
    drafts: await prepared(byPath(drafts), (page) => draftRepresentation(page, frame)),
    frame,
    faults: faultsIn([...posts, ...documents]),
    nextChange: nextAppearance(library, now),
    rendered,
  }

  function render(markdown: string): Rendered {
    const result = former?.rendered.get(markdown) ?? sources.render(markdown)
    rendered.set(markdown, result)
    return result
  }

  function publishedPost(post: Post): PublishedPost {
    return { ...post, ...published(post), modified: past(post.modified, post.date) }
  }

  function publishedPage(page: Page): PublishedPage {
    return { ...page, ...published(page), modified: past(page.modified, page.date) }
  }

  function published({ file, markdown }: Document): Rendered & { markdown: string; path: string } {
    const made = render(markdown)
    return { ...made, ...linkFiles(file, made, addresses, markdownPath), path: addresses.get(file) ?? '' }
  }

  function faultsIn(visible: (PublishedPost | PublishedPage)[]): ContentFault[] {
    const byFile = <T extends Document>(documents: T[]) =>
      new Map(documents.map((document) => [document.file, document]))
    const linkable = { documents: byFile([...library.posts, ...library.pages]), published: byFile(visible), files }
    return visible.flatMap((page) => [
      ...missingPictures(page, baseUrl + page.path, files),
      ...brokenLinks(page, baseUrl + page.path, linkable),
    ])
  }

  async function waitingPages(): Promise<WaitingPage[]> {
    const posts = await oneByOne(
      library.posts.filter((post) => !isDue(post)),
      publishedPost,
    )
    const pages = await oneByOne(
      library.pages.filter((page) => !isDue(page)),
      publishedPage,
    )
    return [
      ...posts.map((post) => ({ page: postPage(post), document: post })),
      ...pages.map((page) => ({ page: plainPage(page, page), document: page })),
    ]
  }
}

function postAddress({ file, slug }: Post): [file: string, path: string] {
  return [file, `/blog/${slug}`]
}

/** `pages/index.md` is what the home page begins with. */
function pageAddress({ file, slug }: Page): [file: string, path: string] {
  return [file, slug === 'index' ? '/' : `/${slug}`]
}

/** Each tag with its posts, in the spelling of the newest. */
function tagsOf(posts: PublishedPost[]): [Tag, PublishedPost[]][] {
  const tags = new Map(posts.toReversed().flatMap(({ tags }) => tags.map((tag) => [tag.slug, tag])))
  return [...tags.values()]
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
    .map((tag) => [tag, posts.filter((post) => post.tags.some(({ slug }) => slug === tag.slug))])
}

function byPath<T extends { path: string }>(pages: T[]): Map<string, T> {
  return new Map(pages.map((page) => [page.path, page]))
}

async function prepared<T, Form>(things: Map<string, T>, prepare: (thing: T) => Promise<Form>) {
  return new Map(await oneByOne(things, async ([path, thing]) => [path, await prepare(thing)] as const))
}

/** Requests that come meanwhile go first. */
async function oneByOne<T, Made>(things: Iterable<T>, make: (thing: T) => Made | Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  for (const thing of things) {
    made.push(await make(thing))
    await setImmediate()
  }
  return made
}

// What has no date of its own is as old as this process.
const STARTED = new Date()

function latest(dates: Date[]): Date {
  return dates.length > 0 ? new Date(Math.max(...dates.map(Number))) : STARTED
}

function nextAppearance({ posts, pages }: Library, now: Date): Date | undefined {
  const coming = [...posts, ...pages].flatMap(({ isDraft, date }) => (!isDraft && date && date > now ? [date] : []))
  return coming.sort((a, b) => Number(a) - Number(b))[0]
}
