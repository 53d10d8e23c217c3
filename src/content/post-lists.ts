import { backgroundSteps } from '../lib/cooperative-scheduling.ts'
import { type Tag, tagPath } from './tags.ts'

export const BLOG_PATH = '/blog'
export const TAGS_PATH = '/tags'
export const ARCHIVE_PATH = '/archive'
export const SERIES_PATH = '/series'
const POSTS_PER_PAGE = 50

interface Listed {
  date: Date
  tags: Tag[]
  series: Tag | undefined
}

/** The posts by tag, by year and by series. Each group is in the order of the posts. */
export interface PostLists<Post> {
  /** By slug. */
  tags: { tag: Tag; posts: Post[] }[]
  /** The newest year first. */
  years: { year: string; posts: Post[] }[]
  /** By slug. The first part of each series is its oldest post. */
  series: { series: Tag; posts: Post[] }[]
}

/**
 * Groups posts, which are sorted from new to old, as background work. A tag and a series have the spelling of their
 * newest post.
 */
export async function groupPosts<Post extends Listed>(posts: Post[]): Promise<PostLists<Post>> {
  const tags = new Map<string, { tag: Tag; posts: Post[] }>()
  const years = new Map<string, { year: string; posts: Post[] }>()
  const series = new Map<string, { series: Tag; posts: Post[] }>()
  const step = backgroundSteps()
  for (const post of posts) {
    for (const tag of post.tags) addTo(tags, tag.slug, post, { tag })
    const year = String(post.date.getUTCFullYear()).padStart(4, '0')
    addTo(years, year, post, { year })
    if (post.series) addTo(series, post.series.slug, post, { series: post.series })
    const yielded = step()
    if (yielded) await yielded
  }
  for (const { posts } of series.values()) posts.reverse()
  return { tags: sorted(tags), years: [...years.values()], series: sorted(series) }
}

function addTo<Post, Name extends object>(
  groups: Map<string, Name & { posts: Post[] }>,
  key: string,
  post: Post,
  name: Name,
) {
  const group = groups.get(key)
  if (group) group.posts.push(post)
  else groups.set(key, { ...name, posts: [post] })
}

function sorted<Group>(groups: Map<string, Group>): Group[] {
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
}

export function yearPath(year: string): string {
  return `${ARCHIVE_PATH}/${year}`
}

export function seriesPath({ slug }: Tag): string {
  return `${SERIES_PATH}/${encodeURIComponent(slug)}`
}

/** The position of a post in its series. */
export interface SeriesPosition<Post> {
  series: Tag
  part: number
  count: number
  /** The parts before and after the post, and the post itself, with their numbers. */
  near: { part: number; post: Post }[]
}

// A long series is listed on its own page.
const MAX_PARTS_BEFORE = 5

/** The positions of all posts that are in a series of several. */
export function seriesPositions<Post extends Listed>({ series }: PostLists<Post>): Map<Post, SeriesPosition<Post>> {
  return new Map(
    series
      .filter(({ posts }) => posts.length > 1)
      .flatMap(({ series, posts }) =>
        posts.map((post, index) => {
          const from = Math.max(0, index - MAX_PARTS_BEFORE)
          const near = posts.slice(from, index + MAX_PARTS_BEFORE + 1)
          const position = { series, part: index + 1, count: posts.length }
          return [post, { ...position, near: near.map((post, offset) => ({ part: from + offset + 1, post })) }] as const
        }),
      ),
  )
}

/** One page of a long list. */
export interface ListPage<Item> {
  path: string
  number: number
  count: number
  items: Item[]
  previous: string | undefined
  next: string | undefined
}

/** The pages of a list. The first one has the plain path, and an empty list has one page. */
export function pagesOf<Item>(path: string, items: Item[]): ListPage<Item>[] {
  const count = Math.max(1, Math.ceil(items.length / POSTS_PER_PAGE))
  const pathOf = (number: number) => (number === 1 ? path : `${path}/page/${number}`)
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1
    return {
      path: pathOf(number),
      number,
      count,
      items: items.slice(index * POSTS_PER_PAGE, number * POSTS_PER_PAGE),
      previous: number > 1 ? pathOf(number - 1) : undefined,
      next: number < count ? pathOf(number + 1) : undefined,
    }
  })
}

/** The paths of the lists of groups of posts. */
export function listPaths({ tags, years, series }: PostLists<unknown>): string[] {
  return [
    ...(tags.length > 0 ? [TAGS_PATH] : []),
    ...tags.flatMap(({ tag, posts }) => pathsOf(tagPath(tag), posts)),
    ...(years.length > 0 ? [ARCHIVE_PATH] : []),
    ...years.flatMap(({ year, posts }) => pathsOf(yearPath(year), posts)),
    ...(series.length > 0 ? [SERIES_PATH] : []),
    ...series.flatMap(({ series, posts }) => pathsOf(seriesPath(series), posts)),
  ]
}

/** The paths of the pages of a list. */
export function pathsOf(path: string, posts: unknown[]): string[] {
  return pagesOf(path, posts).map(({ path }) => path)
}
