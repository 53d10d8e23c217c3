import { fullTextGroups } from '../content/full-text-groups.ts'
import { mapOneByOne } from '../lib/one-by-one.ts'
import type { Frame } from '../pages/layout.ts'
import type { PlannedPage, PublishedPage, PublishedPost } from '../pages/site-pages.ts'
import type { PlannedFile } from './page-variants.ts'

const TYPE = 'text/plain; charset=utf-8'

interface Texts {
  /** The text of the home page, which has lists of posts beside it. */
  intro: PublishedPage | undefined
  /** Pages without the lists of posts, whose content is in the posts. */
  pages: PlannedPage[]
  posts: PublishedPost[]
  planAt(path: string): PlannedPage | undefined
}

/**
 * The text of all pages and posts, for models: `/llms-full.txt`. If the posts are too long for one file, they are in
 * further ones by year, such as `/llms-full/2024.txt`. Documents are rendered one at a time. Those that cannot be
 * rendered are left out.
 */
export function fullTextFiles({ site, baseUrl }: Frame, { intro, pages, posts, planAt }: Texts): PlannedFile[] {
  const groups = fullTextGroups(posts, ({ source }) => source.length)
  return [
    {
      path: '/llms-full.txt',
      type: TYPE,
      content: async () =>
        joined([
          `# ${site.title}`,
          ...(site.description ? [`> ${site.description}`] : []),
          ...(groups.length > 0 ? [`Posts by year:\n\n${groups.map(groupLine).join('\n')}`] : []),
          ...(await introText()),
          await textOf(groups.length === 0 ? [...pages, ...pagesOf(posts)] : pages),
        ]),
    },
    ...groups.map((group) => ({
      path: group.path,
      type: TYPE,
      content: async () => joined([`# ${site.title}: posts of ${group.name}`, await textOf(pagesOf(group.items))]),
    })),
  ]

  async function introText(): Promise<string[]> {
    const body = await intro?.body().catch(() => undefined)
    return body ? [`<!-- ${baseUrl}/ -->\n\n${body.markdown.trim()}`] : []
  }

  function pagesOf(posts: PublishedPost[]): PlannedPage[] {
    return posts.flatMap(({ path }) => planAt(path) ?? [])
  }

  async function textOf(planned: PlannedPage[]): Promise<string> {
    const texts = await mapOneByOne(planned, async ({ path, build }) => {
      const page = await Promise.resolve(build()).catch(() => undefined)
      return page ? [`<!-- ${baseUrl}${path} -->\n\n${page.markdown}`] : []
    })
    return texts.flat().join('\n\n---\n\n')
  }

  function groupLine({ name, path }: { name: string; path: string }): string {
    return `- [Posts of ${name}](${baseUrl}${path})`
  }
}

function joined(blocks: string[]): string {
  return `${blocks.join('\n\n')}\n`
}
