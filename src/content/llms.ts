import { asMarkdown } from './as-markdown.ts'
import type { Site } from './site.ts'

interface Listed {
  title: string
  description: string
  /** The address of the markdown. */
  url: string
}

interface ListedSection {
  title: string
  items: Listed[]
}

/** The content of /llms.txt, in the format of llmstxt.org. */
export function createLlms(site: Site, baseUrl: string, sections: ListedSection[], hasMailbox: boolean): string {
  return [
    `# ${asMarkdown(site.title)}`,
    `> ${asMarkdown(site.description)}`,
    'Every page of this site is also markdown: send `Accept: text/markdown`, or add `.md` to its address. The site is public and needs no credentials; the account API does.',
    site.search && `To search it, request ${baseUrl}/search?q=words as markdown, or ${baseUrl}/search.json?q=words.`,
    ...sections.map(({ title, items }) => section(asMarkdown(title), items)),
    section('API', [
      {
        title: 'Content API',
        url: `${baseUrl}/openapi.json`,
        description: 'OpenAPI 3.1 description of the public endpoints',
      },
      {
        title: 'Account API',
        url: `${baseUrl}/api/openapi.json`,
        description: 'OpenAPI 3.1 description of accounts and sessions',
      },
      { title: 'Content API in words', url: `${baseUrl}/docs/content-api.md`, description: 'the same to read' },
      { title: 'Account API in words', url: `${baseUrl}/docs/account-api.md`, description: 'the same to read' },
      ...(hasMailbox ? [mailbox(baseUrl)] : []),
    ]),
    section('Optional', [
      { title: 'Feed', url: `${baseUrl}/feed.xml`, description: 'the blog as RSS 2.0' },
      { title: 'JSON feed', url: `${baseUrl}/feed.json`, description: 'the blog as a JSON feed' },
      { title: 'Everything at once', url: `${baseUrl}/llms-full.txt`, description: 'the text of all pages and posts' },
      { title: 'Sitemap', url: `${baseUrl}/sitemap.xml`, description: 'all addresses' },
    ]),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function mailbox(baseUrl: string): Listed {
  return {
    title: 'Mailbox of development',
    url: `${baseUrl}/dev/mailbox`,
    description:
      'the mails that the account API would have sent, with their codes; JSON with `Accept: application/json`, those to one address with `?to=`; for programs on the same machine only',
  }
}

function section(title: string, items: Listed[]): string {
  const lines = items.map((item) => {
    const note = asMarkdown(item.description)
    return `- [${asMarkdown(item.title.replace(/[[\]]/g, ''))}](${item.url})${note && `: ${note}`}`
  })
  return lines.length > 0 ? `## ${title}\n\n${lines.join('\n')}` : ''
}
