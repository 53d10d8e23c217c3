import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startProcessorTime } from '../support/measuring.ts'
import { eventually, fileErrorsIn, markdown, startSite } from '../support/site.ts'

// Names of Object.prototype, where a language is looked up by its name.
const LANGUAGES = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf']
const COLOURED = /<span class="c\w+">const<\/span>/

describe('unusual content', () => {
  it('may have a code language named like an Object.prototype property, and other code is coloured', async (test) => {
    const text = [...LANGUAGES, 'ts'].map((name) => `\`\`\`${name}\nconst code = '${name}'\n\`\`\``).join('\n\n')
    const site = await startSite({ 'pages/page.md': markdown({ title: 'Page' }, text) })
    cleanUp(test, () => site.close())
    for (const name of LANGUAGES) {
      assert.ok((await get(site, '/page')).body.includes(`const code = &#39;${name}&#39;`), name)
    }
    await eventually(async () => assert.match((await get(site, '/page')).body, COLOURED))
  })

  it('may have very long lines and deep nesting, and is rendered quickly', async (test) => {
    const long = 'x'.repeat(200_000)
    const texts = [long, '['.repeat(20_000), '> '.repeat(5_000), '*a '.repeat(20_000), '`'.repeat(20_000)]
    const took = startProcessorTime()
    const site = await startSite({
      'pages/page.md': markdown({ title: 'Page', description: long }, texts.join('\n\n')),
      'posts/post.md': markdown({ title: long, date: '2024-01-01', tags: [long] }),
    })
    cleanUp(test, () => site.close())
    for (const path of ['/page', '/blog/post', '/feed.xml', '/']) {
      assert.equal((await get(site, path)).status, 200, path)
    }
    assert.ok(took() < 15_000, `${took()} ms`)
  })

  it('may have thousands of headings of the same name, each with an anchor of its own', async (test) => {
    const took = startProcessorTime()
    const site = await startSite({ 'pages/page.md': markdown({ title: 'Page' }, '# a\n'.repeat(20_000)) })
    cleanUp(test, () => site.close())
    const ids = (await get(site, '/page')).body.match(/ id="a(-\d+)?"/g)
    assert.deepEqual([ids?.length, new Set(ids).size, ids?.[1]], [20_000, 20_000, ' id="a-2"'])
    assert.ok(took() < 15_000, `${took()} ms`)
  })

  it('may have a very long line of code, which delays no request', async (test) => {
    const text = `\`\`\`ts\nconst a = '${'x'.repeat(40_000)}'\n\`\`\`\n\n\`\`\`ts\nconst b = 1\n\`\`\``
    const took = startProcessorTime()
    const site = await startSite({ 'pages/page.md': markdown({ title: 'Page' }, text) })
    cleanUp(test, () => site.close())
    await eventually(async () => assert.match((await get(site, '/page')).body, COLOURED))
    assert.ok(took() < 15_000, `${took()} ms`)
  })

  it('may have thousands of faults, of which the first ones are logged', async (test) => {
    const text = '[^x] [^x]\n'.repeat(10_000)
    const site = await startSite({ 'pages/page.md': markdown({ title: 'Page' }, text) })
    cleanUp(test, () => site.close())
    const faults = fileErrorsIn(site)
    assert.deepEqual([faults.length, new Set(faults).size], [500, 500])
    assert.ok(site.lines.some((line) => line.includes('content: 9500 further faults: portico content check names all')))
  })
})
