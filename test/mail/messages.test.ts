import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { NEUTRAL_COLOURS } from '../../src/mail/colours.ts'
import { createMessages } from '../../src/mail/messages.ts'
import { sampleMessages } from '../../src/mail/sample-messages.ts'
import { createSiteIdentity } from '../../src/mail/site-identity.ts'

const ADDRESS = 'https://ada.example'
const CODE = '492817'
const site = createSiteIdentity(ADDRESS)
site.setSource(() => ({ title: "Ada's Garden", accent: '#8a2be2' }))
const samples = sampleMessages(createMessages(site))

// What a link may be: the site, one of its pages, or a page with one opaque token.
const LINK =
  /^https:\/\/ada\.example(\/account\/security|\/forgot-password|\/(verify-email|reset-password|log-in\/code\/verify|account\/email|undo-email-change|account\/confirm)\?token=[0-9a-f]{32}|\/sign-up\?invitation=[0-9a-f]{32})?$/

const decoded = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ({ '&amp;': '&', '&#39;': "'" })[entity] ?? entity)
const linksOf = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => decoded(link))
const bodyOf = (html: string) => html.slice(html.indexOf('<body'))
/** The words of an HTML part without its preview. */
const wordsOf = (html: string) =>
  decoded(
    bodyOf(html)
      .replace(/<div class="preview">.*?<\/div>/s, '')
      .replace(/<!--.*?-->|<[^>]*>/gs, ' '),
  )
const previewOf = (html: string) => /<div class="preview"><p [^>]*>([^<]+)<\/p><\/div>/.exec(html)?.[1]

describe('every mail', () => {
  for (const { name, message } of samples) {
    const { subject, text, html } = message
    const hasCode = text.includes(CODE)

    it(`has links with at most a token, and no code or address in them: ${name}`, () => {
      const inText = text.match(/https?:\/\/\S+/g) ?? []
      for (const link of [...inText, ...linksOf(html)]) assert.match(link, LINK)
      assert.deepEqual(new Set(linksOf(html)), new Set(inText))
      assert.doesNotMatch(text + html, /mailto:|@example/)
      if (!hasCode && name !== 'emailChanged') assert.doesNotMatch(text + html, /token/)
    })

    it(`shows each link as text too: ${name}`, () => {
      for (const link of linksOf(html)) assert.ok(html.includes(`>${link}</a>`), link)
    })

    it(`has lines of at most 72 columns, except links: ${name}`, () => {
      for (const line of text.split('\n')) assert.ok(line.length <= 72 || /: https:\/\/\S+$/.test(line), line)
      assert.doesNotMatch(text.replace('\n-- \n', '\n'), /[ \t]$/m)
      assert.doesNotMatch(text, /\n\n\n/)
    })

    it(`says the same as plain text and as HTML: ${name}`, () => {
      const inHtml = new Set(wordsOf(html).split(/\s+/))
      const inText = text.replace('\n-- \n', '\n').split(/\s+/)
      assert.deepEqual(
        inText.filter((word) => !inHtml.has(word) && !inHtml.has(word.replace(/:$/, ''))),
        [],
      )
    })

    it(`ends with why it was sent, the title and the address: ${name}`, () => {
      assert.match(
        text,
        /\n\n-- \nYou get this mail because [^.]+\(ada\.example\)[^.]*\.\nAda's Garden\nhttps:\/\/ada\.example\n$/,
      )
    })

    it(`has a preview that is not its first sentence, and no code: ${name}`, () => {
      const preview = previewOf(html) ?? ''
      assert.ok(preview.length > 20 && preview.length <= 110, preview)
      assert.ok(!preview.includes(subject))
      assert.doesNotMatch(preview, /\d{6}|token/)
      assert.ok(wordsOf(html).trim().startsWith("Ada's Garden"))
    })

    it(`loads nothing and runs nothing: ${name}`, () => {
      assert.doesNotMatch(html, /<(script|img|link|iframe|object|form|svg|base)\b|\bsrc=|url\(|@import|\son\w+=/i)
    })

    it(`declares its colour schemes, and is dark with classes that it uses: ${name}`, () => {
      assert.ok(html.includes('<meta name="color-scheme" content="light dark">'))
      assert.ok(html.includes('<meta name="supported-color-schemes" content="light dark">'))
      const dark = /@media \(prefers-color-scheme: dark\) \{\n(.*?)\n\}/s.exec(html)?.[1] ?? ''
      const painted = new Set([...dark.matchAll(/^\.([\w-]+) \{/gm)].map(([, part]) => part))
      const used = [...bodyOf(html).matchAll(/class="([^"]+)"/g)].map(([, part]) => part)
      assert.deepEqual(
        used.filter((part) => part !== 'preview' && !painted.has(part)),
        [],
      )
      for (const [, declaration] of dark.matchAll(/([\w-]+: ?[^;{}]+);/g))
        assert.match(declaration ?? '', / !important$/)
    })
  }

  it('with a code has it once, as one text', () => {
    const withCode = samples.filter(({ message }) => message.text.includes(CODE))
    assert.deepEqual(
      withCode.map(({ name }) => name),
      ['verificationCode', 'resetCode', 'reauthenticationCode', 'logInCode', 'emailChangeCode'],
    )
    for (const { message } of withCode) {
      assert.equal(message.text.split(CODE).length, 2)
      assert.equal(message.html.split(CODE).length, 2)
      assert.match(message.html, new RegExp(`<p class="code" [^>]*>${CODE}</p>`))
      assert.ok(message.text.includes(`\n\n    ${CODE}\n\n`))
    }
  })

  it('has the neutral colours of the pages', async () => {
    const tokens = await readFile(new URL('../../src/pages/styles/tokens.css', import.meta.url), 'utf8')
    for (const [name, light] of Object.entries(NEUTRAL_COLOURS.light)) {
      const dark = NEUTRAL_COLOURS.dark[name as keyof typeof NEUTRAL_COLOURS.dark]
      assert.ok(tokens.includes(`--${name}: light-dark(${light}, ${dark});`), name)
    }
  })
})
