import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDocument } from '../../src/content/document.ts'
import { withYamlFrontMatter } from '../../src/content/toml-front-matter.ts'
import { startProcessorTime } from '../support/measuring.ts'

const FIELDS = 20_000

function read(yaml: string) {
  return readDocument('post', 'posts/post.md', `---\ntitle: A\ndate: 2024-01-01\n${yaml}\n---\nText`, () => {})
}

describe('front matter of an author who wants to stop the service', () => {
  it('may not have lists as names of fields, whose text would be of exponential length', () => {
    for (const depth of [1, 300]) {
      const key = `${'{'.repeat(depth)}a: b${'}: c'.repeat(depth)}`
      assert.throws(() => read(`series: {${key}}`), /posts\/post\.md:4: the name of a field must be a text/)
    }
    assert.throws(() => read('? [a, b]\n: c'), /posts\/post\.md:4: the name of a field must be a text/)
  })

  it('has a limited number of fields', () => {
    const took = startProcessorTime()
    const yaml = Array.from({ length: FIELDS }, (_, number) => `k${number}: 1`).join('\n')
    assert.throws(() => read(yaml), /posts\/post\.md:202: has more than 200 fields/)
    assert.ok(took() < 3_000, `${took()} ms`)
  })

  it('has a limited number of tags, each of which would have a page and feeds', () => {
    const tags = (count: number) => `tags: [${Array.from({ length: count }, (_, number) => `t${number}`)}]`
    assert.equal(read(tags(100)).tags.length, 100)
    assert.throws(() => read(tags(101)), /posts\/post\.md:4: "tags" may have 100 entries at most/)
  })

  it('in TOML takes a time that is linear in its length', async () => {
    const took = startProcessorTime()
    // The name is not found in the lines as it is in the table.
    const toml = Array.from({ length: FIELDS }, (_, number) => `"\\u006b${number}" = 1`).join('\n')
    const yaml = await withYamlFrontMatter('posts/post.md', `+++\n${toml}\n+++\nText`)
    assert.match(yaml, new RegExp(`^---\n"k0": 1\n[^]*\n"k${FIELDS - 1}": 1\n---\nText$`))
    assert.ok(took() < 3_000, `${took()} ms`)
  })
})
