import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { markdown, startSite, type TestSite } from '../support/site.ts'

describe('markdown', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const text = [
      '| left | middle | right |\n|:---|:--:|---:|\n| a | b | c |',
      '- [ ] to do\n- [x] done, *well*\n- [link](/blog) [ ] no box',
      '[x] no item',
      '    indented <code>',
    ]
    Object.assign(site, await startSite({ 'pages/page.md': markdown({ title: 'Page' }, text.join('\n\n')) }))
    cleanUp(suite, () => site.close())
  })

  it('aligns the columns of a table by classes, because inline styles are not allowed', async () => {
    const { body } = await get(site, '/page')
    assert.match(body, /<th class="left">left<\/th>\s*<th class="center">middle<\/th>\s*<th class="right">right/)
    assert.match(body, /<td class="left">a<\/td>\s*<td class="center">b<\/td>\s*<td class="right">c<\/td>/)
    assert.doesNotMatch(body, /style=/)
  })

  it('has checkboxes for task lists', async () => {
    const { body } = await get(site, '/page')
    assert.match(body, /<li class="task">☐ to do<\/li>\s*<li class="task">☑ done, <em>well<\/em><\/li>/)
    assert.match(body, /<li><a href="\/blog">link<\/a> \[ \] no box<\/li>/)
    assert.match(body, /<p dir="auto">\[x\] no item<\/p>/)
  })

  it('lets indented code be scrolled with a keyboard too', async () => {
    assert.match((await get(site, '/page')).body, /<pre tabindex="0"><code>indented &lt;code&gt;\n<\/code><\/pre>/)
  })
})
