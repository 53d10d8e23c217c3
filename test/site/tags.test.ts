import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { fileErrorsIn, linksTo, markdown, startSite } from '../support/site.ts'

describe('tags', () => {
  it('keep the spelling of their author, and are not mixed up with others', async (test) => {
    const names = ['C', 'C++', 'C#', 'F#', '.NET', 'Node.js', 'A & B', '++']
    const site = await startSite({
      'posts/all.md': markdown({ title: 'All', date: '2024-02-01', tags: names }),
      'posts/one.md': markdown({ title: 'One', date: '2024-01-01', tags: ['node.JS', 'c'] }),
    })
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), [])
    const { body } = await get(site, '/blog/all')
    const tags = [...body.matchAll(/<a href="\/tags\/([^"]+)" dir="auto">([^<]+)<\/a>/g)].map(
      ([, slug = '', name = '']) => [slug, name] as const,
    )
    assert.deepEqual(tags, [
      ['c', 'C'],
      ['c-plus-plus', 'C++'],
      ['c-sharp', 'C#'],
      ['f-sharp', 'F#'],
      ['dot-net', '.NET'],
      ['node-js', 'Node.js'],
      ['a-b', 'A &amp; B'],
      ['plus-plus', '++'],
    ])
    for (const [slug, name] of tags) {
      const page = await get(site, `/tags/${slug}`)
      assert.equal(page.status, 200)
      assert.ok(page.body.includes(`<h1 dir="auto">Tagged “${name}”</h1>`), name)
    }
    // Another spelling is the same tag. The newest post decides how it is written.
    assert.deepEqual(linksTo((await get(site, '/tags/node-js')).body, '/blog/'), ['/blog/all', '/blog/one'])
    assert.deepEqual((await get(site, '/feed.json')).body.items[0].tags, names)
    assert.match(body, /<meta property="article:tag" content="C\+\+">/)
  })
})
