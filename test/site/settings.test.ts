import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { accentColours } from '../../src/lib/accent.ts'
import { get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { PNG, photo } from '../support/pictures.ts'
import { eventually, type Files, fileErrorsIn, startSite, type TestSite } from '../support/site.ts'

// Of src/publishing/rebuild-schedule.ts.
const DEBOUNCE_MS = 30
// A timer of Node may be a millisecond early.
const TIMER_PRECISION_MS = 1
const GOOD = `title: Ada’s site
author: Ada Lovelace
language: pt-BR
font: serif
navigation:
  - { title: Notes, url: /blog }
links:
  - { title: Mail, url: "mailto:ada@site.example" }
`

async function startWith(test: TestContext, files: Files): Promise<TestSite> {
  const site = await startSite(files)
  cleanUp(test, () => site.close())
  return site
}

const FAULTY: [what: string, yaml: string, fault: string][] = [
  ['font', GOOD.replace('serif', 'comic'), '4: "font" must be one of sans, serif, mono'],
  ['theme', `${GOOD}theme: blue\n`, '9: "theme" must be one of system, light, dark'],
  ['language', GOOD.replace('pt-BR', 'german'), '3: "language" must be a language such as en or pt-BR'],
  ['field', `${GOOD}naviagtion: []\n`, '9: "naviagtion" is not a field: did you mean "navigation"?'],
  ['accent', `${GOOD}accent: green\n`, '9: "accent" must be a colour such as "#0b6e5f", in quotes'],
  ['logo', `${GOOD}logo: //javascript:x/logo.png\n`, '9: "logo" must be a path such as /images/me.jpg'],
  ['portrait', `${GOOD}portrait: "/\\\\javascript:x"\n`, '9: "portrait" must be a path such as /images/me.jpg'],
  ['entry to hide', `${GOOD}hide: [feeds]\n`, '9: each of "hide" must be one of log-in, feed, llms, api'],
  ['description', `${GOOD}description: [a]\n`, '9: "description" must be text'],
  [
    'link',
    GOOD.replace('links:', 'links:\n  - { title: x, url: "javascript:x" }'),
    '8: each of "links" must have a "title" and a "url": a path such as /about, or an http(s) or mailto address',
  ],
  [
    'path with a backslash',
    GOOD.replace('links:', 'links:\n  - { title: x, url: "/\\\\javascript:x" }'),
    '8: each of "links" must have a "title" and a "url": a path such as /about, or an http(s) or mailto address',
  ],
  [
    'path with a tab',
    GOOD.replace('links:', 'links:\n  - { title: x, url: "/\\t/javascript:x" }'),
    '8: each of "links" must have a "title" and a "url": a path such as /about, or an http(s) or mailto address',
  ],
]

describe('site.yaml', () => {
  for (const [what, yaml, fault] of FAULTY) {
    it(`with a faulty ${what} is logged with its line, and the rest of it applies`, async (test) => {
      const site = await startWith(test, { 'site.yaml': yaml })
      assert.deepEqual(fileErrorsIn(site), [`content/site.yaml:${fault}`])
      const { body } = await get(site, '/')
      assert.match(body, /<title>Ada’s site<\/title>/)
      assert.match(body, /<a href="\/blog" dir="auto">Notes<\/a>/)
      assert.match(body, /<p dir="auto">Ada Lovelace<\/p>/)
      assert.doesNotMatch(body, /javascript:|comic|german/)
    })
  }

  it('without an error needs only a title', async (test) => {
    const site = await startWith(test, { 'site.yaml': 'title: Bare' })
    assert.deepEqual(fileErrorsIn(site), [])
    assert.match((await get(site, '/')).body, /<title>Bare<\/title>/)
  })

  it('leaves out the entries that "hide" names', async (test) => {
    const site = await startWith(test, { 'site.yaml': `${GOOD}hide: [log-in, feed, llms, api]\n` })
    const { body } = await get(site, '/about-nothing', { headers: { accept: 'text/html' } })
    const [header = '', footer = ''] = [/<header[\s\S]*<\/header>/, /<footer[\s\S]*<\/footer>/].map(
      (part) => part.exec(body)?.[0] ?? '',
    )
    assert.match(header, />Notes</)
    assert.doesNotMatch(header, /log-in/)
    assert.deepEqual(footer.match(/href="[^"]*"/g), ['href="mailto:ada@site.example"'])
  })

  it('shows the logo in the header and the portrait on the home page', async (test) => {
    const yaml = `${GOOD}logo: /images/logo.svg\nportrait: /images/me.png\n`
    const site = await startWith(test, { 'site.yaml': yaml, 'images/logo.svg': '<svg/>', 'images/me.png': PNG })
    assert.deepEqual(fileErrorsIn(site), [])
    assert.match((await get(site, '/blog')).body, /<img class="logo" src="\/images\/logo.svg" alt=""/)
    assert.match((await get(site, '/')).body, /<img class="portrait" src="\/images\/me.png" alt=""/)
    assert.doesNotMatch((await get(site, '/blog')).body, /portrait/)
  })

  it('preloads the font of Portico in the looks that use it', async (test) => {
    const site = await startWith(test, { 'site.yaml': GOOD })
    const preload = /<link rel="preload" href="\/assets\/instrument-sans-latin\.[^"]+" as="font"/
    assert.match((await get(site, '/')).body, preload)
    await site.write('site.yaml', `${GOOD}look: terminal\n`)
    await eventually(async () => assert.doesNotMatch((await get(site, '/')).body, /preload/))
  })

  it('shows photographs as logo and portrait in smaller sizes', async (test) => {
    const yaml = `${GOOD}logo: /images/wide.jpg\nportrait: /images/wide.jpg\n`
    const wide = await photo(2000, 1200).jpeg({ quality: 95 }).toBuffer()
    const site = await startWith(test, { 'site.yaml': yaml, 'images/wide.jpg': wide })
    const shown = async () => /<div class="hero">\s*(\S.*)/.exec((await get(site, '/')).body)?.[1] ?? ''
    assert.equal(await shown(), '<img class="portrait" src="/images/wide.jpg" alt="" width="144" height="144">')
    await eventually(async () => assert.match(await shown(), /^<picture>/))
    const { body } = await get(site, '/')
    assert.match(
      await shown(),
      /-480\.avif 480w.* sizes="240px">.*class="portrait".* width="144" height="144"><\/picture>/,
    )
    assert.match(body, /-480\.avif 480w.* sizes="47px">.*class="logo".* width="47" height="28"><\/picture><span/)
    assert.doesNotMatch(body, /src="\/images\/wide\.jpg"/)
  })

  it('names a logo and a portrait that are not in the content folder', async (test) => {
    const site = await startWith(test, { 'site.yaml': `${GOOD}logo: /images/logo.svg\nportrait: /images/me.png\n` })
    await get(site, '/')
    assert.deepEqual(fileErrorsIn(site), [
      'content/site.yaml:9: the picture /images/logo.svg of "logo" is not there',
      'content/site.yaml:10: the picture /images/me.png of "portrait" is not there',
    ])
  })

  it('has an accent that colours the style sheet and the icon', async (test) => {
    const site = await startWith(test, { 'site.yaml': `${GOOD}accent: "#7c3aed"\n` })
    const [sheet = ''] = /\/assets\/public\.[0-9a-f]+\.css/.exec((await get(site, '/')).body) ?? []
    const { light, dark } = accentColours('#7c3aed')
    const css: string = (await get(site, sheet)).body
    assert.ok(css.includes(`--accent: light-dark(${light.accent}, ${dark.accent});`))
    assert.ok(!css.includes(accentColours('#0b6e5f').light.accent))
    assert.ok((await get(site, '/favicon.svg')).body.includes(light.accent))
  })

  it('keeps its last values while it cannot be read, and is the default when it is removed', async (test) => {
    const site = await startWith(test, { 'site.yaml': GOOD })
    await site.write('site.yaml', 'title: [')
    await eventually(async () => assert.equal(fileErrorsIn(site).length, 1))
    assert.match((await get(site, '/')).body, /<title>Ada’s site<\/title>/)

    await site.write('site.yaml', GOOD.replace('title: Ada’s site', 'title: []').replace('serif', 'mono'))
    await eventually(async () => assert.match((await get(site, '/')).body, /data-font="mono"/))
    assert.equal(fileErrorsIn(site).at(-1), 'content/site.yaml:1: "title" must be text')
    assert.match((await get(site, '/')).body, /<title>Ada’s site<\/title>/)

    await site.remove('site.yaml')
    await eventually(async () => assert.match((await get(site, '/')).body, /<title>Portico<\/title>/))
  })

  it('is not logged as faulty while an editor is still writing it', async (test) => {
    const site = await startWith(test, { 'site.yaml': GOOD })
    let isProven = false
    for (let round = 0; round < 100 && !isProven; round++) {
      const before = fileErrorsIn(site).length
      const began = performance.now()
      // Like programs that truncate a file before they write it.
      await site.write('site.yaml', '')
      await setTimeout(15)
      await site.write('site.yaml', GOOD.replace('Ada’s site', `Round ${round}`))
      const isPrompt = performance.now() - began < DEBOUNCE_MS - TIMER_PRECISION_MS
      await eventually(async () =>
        assert.match((await get(site, '/')).body, new RegExp(`<title>Round ${round}</title>`)),
      )
      // Writes that take longer than the debounce of the service prove nothing.
      if (!isPrompt) continue
      assert.equal(fileErrorsIn(site).length, before)
      isProven = true
    }
    assert.ok(isProven)
  })
})
