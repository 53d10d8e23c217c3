import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const YEARS = [2024, 2023, 2022]
const FILES = {
  'site.yaml': 'title: Ada\ndescription: Notes\nredirects:\n  /away: https://other.example/about\n',
  'pages/about.md': markdown(
    { title: 'About', description: 'Who I am', aliases: ['/me', '/öld.md'] },
    'The analytical engine.',
  ),
  'posts/rough.md': markdown({ title: 'Rough secret', date: '2024-01-01', draft: true }),
  'posts/later.md': markdown({ title: 'Later secret', date: '2999-01-01' }),
  ...Object.fromEntries(
    YEARS.map((year) => [
      `posts/p${year}.md`,
      markdown({ title: `Post ${year}`, date: `${year}-05-05`, tags: ['C++'] }),
    ]),
  ),
}

interface Result {
  isError?: boolean
  content: { type: string; text: string }[]
  structuredContent?: Record<string, unknown>
}

// `auto` negotiates the revision 2026-07-28. `legacy` begins with `initialize`, as all earlier revisions do.
for (const mode of ['auto', 'legacy'] as const) {
  describe(`the MCP server for a client in mode ${mode}`, () => {
    const site = {} as TestSite
    const suite = suiteCleanUp()
    let client: Client
    before(async () => {
      Object.assign(site, await startSite(FILES))
      cleanUp(suite, () => site.close())
      client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(`${site.url}/mcp`)))
      cleanUp(suite, () => client.close())
    })
    const callTool = async (name: string, args: object = {}) =>
      (await client.callTool({ name, arguments: { ...args } })) as Result
    const textOf = async (name: string, args: object) => (await callTool(name, args)).content[0]?.text

    it('names the site, and promises no notifications', () => {
      assert.equal(client.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25')
      assert.equal(client.getServerVersion()?.title, 'Ada')
      assert.deepEqual(client.getServerCapabilities(), {
        tools: { listChanged: false },
        resources: { listChanged: false },
      })
    })

    it('has tools that only read', async () => {
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['search', 'list', 'read', 'describe_api'],
      )
      for (const { annotations } of tools) assert.equal(annotations?.readOnlyHint, true)
    })

    it('finds what the search finds', async () => {
      const { structuredContent } = await callTool('search', { query: 'analytcal' })
      assert.deepEqual(structuredContent, (await get(site, '/search.json?q=analytcal')).body)
      assert.equal(structuredContent?.total, 1)
    })

    it('lists posts and pages by tag and year, in parts', async () => {
      const first = await callTool('list', { tag: 'c++', limit: 2 })
      assert.deepEqual(JSON.parse(first.content[0]?.text ?? ''), first.structuredContent)
      const { total, entries, nextCursor } = first.structuredContent as {
        total: number
        entries: { url: string; date: string; tags: string[] }[]
        nextCursor: string
      }
      assert.equal(total, 3)
      assert.deepEqual(
        entries.map(({ url }) => url),
        [`${SITE_ADDRESS}/blog/p2024`, `${SITE_ADDRESS}/blog/p2023`],
      )
      assert.deepEqual([entries[0]?.date, entries[0]?.tags], ['2024-05-05T00:00:00.000Z', ['C++']])
      const rest = await textOf('list', { tag: 'c++', limit: 2, cursor: nextCursor })
      assert.match(rest ?? '', /p2022/)
      assert.doesNotMatch(rest ?? '', /p2023|nextCursor/)
      assert.match((await textOf('list', { year: 2023 })) ?? '', /"total":1,.*p2023/)
      assert.match((await textOf('list', { kind: 'pages' })) ?? '', /"total":1,.*About/)
      assert.equal((await callTool('list', { cursor: '/nowhere' })).isError, true)
    })

    it('reads the markdown of a page, by path and by URL', async () => {
      const { body } = await get(site, '/about.md')
      for (const address of ['/about', '/about.md', '/about/', '/%61bout', 'about', `${SITE_ADDRESS}/about#part`])
        assert.equal(await textOf('read', { address }), body, address)
    })

    it('reads a page by its former addresses', async () => {
      const { body } = await get(site, '/about.md')
      for (const address of ['/me', '/me.md', '/%6de', '/%c3%b6ld.md', `${SITE_ADDRESS}/me/`])
        assert.equal(await textOf('read', { address }), body, address)
    })

    it('knows neither drafts nor scheduled posts, nor what is not a page', async () => {
      for (const address of [
        '/blog/rough',
        '/blog/later',
        '/dev/drafts',
        '/account',
        '/robots.txt',
        '/away',
        'https://a.example/',
      ])
        assert.deepEqual(
          await callTool('read', { address }).then(({ isError, content }) => [isError, content[0]?.text]),
          [true, 'There is no page at this address'],
        )
      for (const [name, args] of [
        ['list', {}],
        ['search', { query: 'secret' }],
      ] as const)
        assert.doesNotMatch((await textOf(name, args)) ?? '', /Rough|Later/)
    })

    it('describes the APIs', async () => {
      assert.match((await textOf('describe_api', { api: 'content' })) ?? '', /^- GET \/search\.json: The pages/m)
      const { post } = JSON.parse((await textOf('describe_api', { api: 'account', path: '/api/log-in' })) ?? '')
      assert.equal(post.operationId, 'logIn')
      assert.doesNotMatch(JSON.stringify(post), /\$ref/)
      assert.equal((await callTool('describe_api', { api: 'account', path: '__proto__' })).isError, true)
    })

    it('has the pages as resources', async () => {
      const { resources } = await client.listResources()
      assert.deepEqual(
        resources.map(({ uri }) => uri.replace(SITE_ADDRESS, '')),
        ['/about.md', '/blog/p2024.md', '/blog/p2023.md', '/blog/p2022.md'],
      )
      for (const { name, title } of resources) assert.equal(title, name)
      assert.equal(new Set(resources.map(({ title }) => title)).size, resources.length)
      const { contents } = await client.readResource({ uri: `${SITE_ADDRESS}/about.md` })
      assert.deepEqual(contents, [
        { uri: `${SITE_ADDRESS}/about.md`, mimeType: 'text/markdown', text: (await get(site, '/about.md')).body },
      ])
      await assert.rejects(client.readResource({ uri: `${SITE_ADDRESS}/blog/rough.md` }), /not found/i)
    })

    it('is named in llms.txt, and can be turned off', async () => {
      assert.ok((await get(site, '/llms.txt')).body.includes(`${SITE_ADDRESS}/mcp`))
      await site.write('site.yaml', 'title: Ada\nsearch: false\n')
      await eventually(async () => assert.ok(!(await client.listTools()).tools.some(({ name }) => name === 'search')))
      await site.write('site.yaml', 'title: Ada\nmcp: false\n')
      await eventually(async () => assert.equal((await get(site, '/mcp')).status, 404))
      await assert.rejects(client.callTool({ name: 'list' }))
      assert.doesNotMatch((await get(site, '/llms.txt')).body, /\/mcp/)
    })
  })
}
