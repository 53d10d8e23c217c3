import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import MarkdownIt from 'markdown-it'
import { someone } from '../support/accounts.ts'
import { assertSucceeded, get, post } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { withProviders } from '../support/providers.ts'
import { ACCEPT_HTML, cookiesOf, reachCallback, visit } from '../support/sign-in-steps.ts'
import { type Files, fileErrorsIn, markdown, startSite, type TestSite } from '../support/site.ts'

const EVIL = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  ']]>',
  '</title>',
  '&lt;b&amp;',
]
const TITLE = `${EVIL.join(' ')} \u0001\u000b\u001f\ufffe é 😀`
const SCHEMES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'javascript&colon;alert(1)',
  '&#106;avascript:alert(1)',
  'java&#10;script:alert(1)',
  'java%0Ascript:alert(1)',
  '&#1;javascript:alert(1)',
  'vbscript:x',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD4=',
  'data:image/svg+xml;base64,PHN2Zz4=',
  'file:///etc/passwd',
  'blob:x',
  'view-source:javascript:alert(1)',
  'com.evil.app:do',
  'x-app+y:do',
]
const TEXT = [
  ...EVIL,
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<svg onload=alert(1)>',
  '<!-- --><style>*{display:none}</style>',
  ...SCHEMES.flatMap((url) => [
    `[link](${url})`,
    `[angle](<${url}>)`,
    `![image](${url})`,
    `<${url}>`,
    `[ref]\n\n[ref]: ${url}`,
  ]),
  '[x](https://a.example "\\" onclick=\\"alert(1)")',
  '![" onerror="alert(1)](https://a.example/x.png)',
  '## <script>alert(1)</script> " onclick="x',
  '## [x](javascript:alert(1)) ![" onerror="alert(1)](https://a.example/x.png) `<script>` &lt;b> <!-- note -->',
  ...['content', 'Contents', 'SITE-MENU', 'Account menu', 'contributions', 'site-menu'].map((id) => `## ${id}`),
  '```ts" onclick="alert(1)\ncode\n```',
  '```<script>\n<script>alert(1)</script>\n```',
  '`<script>`',
  '| a | <script> |\n|---|---|\n| " onclick= | </table> |',
  '&#12; &#x1; &#xfffe; &#xd800;',
  'a \u0001 b \u0008 \u000c \u001b[31m \ufffe',
].join('\n\n')
const TAGS = ['a/b', '"quoted"', '../../etc', '<script>', 'हिन्दी', 'e\u0301te\u0301', '😀', '%2e%2e', 'x?y#z']

const FILES: Files = {
  'site.yaml': `title: ${JSON.stringify(TITLE)}\ndescription: ${JSON.stringify(TITLE)}\nauthor: ${JSON.stringify(TITLE)}\nlanguage: '"><script>'\nnavigation: [{ title: ${JSON.stringify(TITLE)}, url: /blog }]\nsections: [{ title: ${JSON.stringify(TITLE)}, pages: [listed.md] }]\n`,
  'pages/listed.md': markdown({ title: TITLE, description: TITLE }, TEXT),
  'posts/evil.md': markdown({ title: TITLE, description: TITLE, date: '2024-01-01', tags: TAGS }, TEXT),
  'pages/page.md': markdown({ title: TITLE, description: TITLE }, TEXT),
  'pages/index.md': markdown({ title: TITLE }, TEXT),
}

/** The HTML without our own elements. Structured data is a block of JSON in which no `<` can end the element. */
function withoutOurs(body: string): string {
  return body
    .replace(OUR_SCRIPTS_FORMS_AND_ICONS, '')
    .replace(/<script type="application\/ld\+json">([^<]*)<\/script>/g, (_element, json: string) => {
      assert.equal(typeof JSON.parse(json), 'object')
      return ''
    })
}

// The values are JSON strings, each in one line.
const FRONT_MATTER = /^---\n(?:[a-z]+: (?:"[^\n]*"|\[[^\n]*\]|[\d-]+)\n)+---\n/

describe('hostile content', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
  })

  it('is served completely', async () => {
    // A URL with unusual characters is that of a picture or of a page that does not exist.
    const faults = fileErrorsIn(site).filter(
      (fault) => !/there is no (?:picture|page \S+ for the link) &#1;/.test(fault),
    )
    assert.deepEqual(faults, [
      'content/site.yaml:4: "language" must be a language such as en or pt-BR',
      'content/posts/evil.md:5: "😀" cannot be a tag: it has no letter or digit for an address',
    ])
    for (const path of ['/blog/evil', '/page', '/blog/evil.md']) assert.equal((await get(site, path)).status, 200, path)
  })

  it('puts no script, handler, style or foreign URL into any page', async () => {
    const paths = await addresses(site)
    assert.ok(paths.includes('/blog/evil') && paths.includes('/page'))
    const searches = [...EVIL, 'script', 'onerror', 'x'].map((query) => `/search?q=${encodeURIComponent(query)}`)
    for (const path of [...paths, ...searches, '/nothing'])
      assertHarmless(withoutOurs((await get(site, path)).body), path)
  })

  it('takes no id of the page, and repeats none', async () => {
    for (const path of await addresses(site)) {
      const { body } = await get(site, path)
      const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id ?? '')
      assert.deepEqual(ids.toSorted(), [...new Set(ids)].sort(), path)
      assert.ok(!ids.includes('account-menu'), path)
    }
    const { body } = await get(site, '/blog/evil')
    assert.match(body, /<nav class="site-menu menu" id="site-menu" popover/)
    assert.match(body, /<h2 id="contents">On this page/)
    assert.match(body, /<a href="#site-menu-2" dir="auto">SITE-MENU</)
  })

  it('is well-formed XML in the feed and the sitemap', async () => {
    for (const path of ['/feed.xml', '/sitemap.xml']) {
      const { body } = await get(site, path)
      assert.equal(XMLValidator.validate(body), true, path)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold.
      assert.doesNotMatch(body, /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/, path)
    }
    const parser = new XMLParser({ processEntities: true })
    const { item } = parser.parse((await get(site, '/feed.xml')).body).rss.channel
    for (const words of EVIL) assert.ok(item.title.includes(words), words)
    assertHarmless(item['content:encoded'], '/feed.xml')
    const { items } = (await get(site, '/feed.json')).body
    assertHarmless(items[0].content_html, '/feed.json')
  })

  it('has tags with valid URLs, in every script', async () => {
    const paths = (await addresses(site)).filter((path) => path.startsWith('/tags/'))
    const names = paths.map((path) => decodeURIComponent(path.slice('/tags/'.length)))
    assert.deepEqual(names.sort(), ['a-b', 'quoted', 'etc', 'script', 'हिन्दी', 'été', '2e-2e', 'x-y-z'].sort())
    for (const path of paths) assert.equal((await get(site, path)).status, 200, path)
  })

  it('adds exactly one line to llms.txt for each entry', async () => {
    const { body } = await get(site, '/llms.txt')
    assert.equal(body.match(/^# /gm)?.length, 1)
    for (const line of body.split('\n'))
      assert.match(
        line,
        /^($|# |## |> |- \[[^[\]]*\]\(https:\/\/site\.example\/|Every page|To search|An MCP server|[A-Z][\w .]*: https:\/\/site\.example\/)/,
      )
  })
})

describe('a title', () => {
  const title = 'x](javascript:alert(1)) [y\n\n# Heading\n<https://evil.example>'
  const tag = 'a](https://evil.example)'
  const files = {
    'site.yaml': `title: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(title)}\n`,
    'posts/post.md': markdown({ title, description: title, date: '2024-01-01', tags: [tag] }),
    'pages/page.md': markdown({ title, description: title }),
  }

  it('is text only in markdown too', async (test) => {
    const site = await startSite(files)
    cleanUp(test, () => site.close())
    const paths = await addresses(site)
    assert.ok(paths.length > 5)
    const rendered = new MarkdownIt()
    for (const path of ['/llms.txt', ...paths.map((page) => (page === '/' ? '/index.md' : `${page}.md`))]) {
      const html = rendered.render((await get(site, path)).body.replace(FRONT_MATTER, ''))
      assert.doesNotMatch(html, /href="(?!\/|https:\/\/site\.example\/|#)/, path)
      assert.equal(html.match(/<h1>/g)?.length, 1, path)
    }
  })
})

describe('a hostile profile', () => {
  withProviders((service, providers) => {
    it('runs no script on the page that shows it', async () => {
      for (const firstName of EVIL) {
        const subject = providers.idp.people.admit({ firstName, lastName: firstName, username: firstName })
        const { callback, cookie } = await reachCallback(service, providers.idp, subject)
        const { headers } = await visit(service, callback, { cookie, accept: ACCEPT_HTML })
        for (const path of ['/account', '/account/security', '/']) {
          const page = await visit(service, path, { cookie: cookiesOf(headers).join('; '), accept: ACCEPT_HTML })
          assert.match(page.body, /action="\/log-out"/)
          assertHarmless(withoutOurs(page.body), path)
        }
      }
    })

    it('is sent as JSON that no browser sniffs as HTML', async () => {
      const person = await someone(service)
      const [firstName = '', bio = ''] = EVIL
      assertSucceeded(
        await post(service, '/api/user-details', { firstName, bio, location: { city: bio } }, { as: person }),
      )
      const response = await get(service, '/api/user-details', { as: person, headers: { accept: 'text/html' } })
      assert.deepEqual([response.body.data.user.firstName, response.body.data.user.bio], [firstName, bio])
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    })
  })
})

// The pages have scripts, forms and icons of their own, without any text of a user.
const OUR_SCRIPTS_FORMS_AND_ICONS =
  /<script type="module" src="\/assets\/[\w.-]+"><\/script>|<form class="(?:site-search|search-form)" role="search" action="\/search">|<form method="post"(?: action="\/log-out"| enctype="multipart\/form-data"| data-passkey="[a-z]+" data-options="[\w/-]+"(?: data-confirm="[\w/?=%]+")?)?>|<\/form>|<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="[\w .-]+"\/><\/svg>/g

async function addresses(site: TestSite): Promise<string[]> {
  const { body } = await get(site, '/sitemap.xml')
  return [...body.matchAll(/<loc>https:\/\/site\.example([^<]+)<\/loc>/g)].map(([, path]) => path ?? '')
}

const TAG = /<(\/?[a-zA-Z!][^\s>]*)((?:\s+[^\s=>"']+(?:="[^"]*")?)*)\s*\/?>/g

/** Every "<" begins a tag that we write, with attributes in double quotes and without handlers. */
function assertHarmless(html: string, where: string): void {
  const tags = [...html.matchAll(TAG)]
  assert.equal(tags.length, html.split('<').length - 1, `${where} has a "<" that is no tag`)
  for (const [tag, name = '', attributes = ''] of tags) {
    assert.doesNotMatch(name, /^\/?(script|style|iframe|object|embed|base|form|svg)$/i, `${where}: ${tag}`)
    for (const [, key = '', value = ''] of attributes.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)) {
      assert.doesNotMatch(key, /^(on|style$|srcdoc$)/i, `${where}: ${tag}`)
      if (!/^(href|src)$/i.test(key)) continue
      const url = new URL(value.replaceAll('&amp;', '&'), 'https://site.example/')
      assert.match(url.protocol, /^(https?|mailto):$/, `${where}: ${tag}`)
    }
  }
}
