import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { indexRelatedPosts, relatedPosts } from '../../src/content/related-posts.ts'
import { assertProcessorTime } from '../support/measuring.ts'

interface Sample {
  title: string
  description: string
  tags: { name: string; slug: string }[]
  series: { name: string; slug: string } | undefined
}

function sample(title: string, tags: string[] = [], series?: string): Sample {
  const tag = (name: string) => ({ name, slug: name })
  return { title, description: '', tags: tags.map(tag), series: series ? tag(series) : undefined }
}

async function createRelated(posts: Sample[]) {
  const index = await indexRelatedPosts(posts)
  return (post: Sample, except: (Sample | undefined)[] = []) => relatedPosts(index, posts, posts.indexOf(post), except)
}

describe('related posts', async () => {
  const posts = [
    sample('Indexes of PostgreSQL', ['sql', 'all']),
    sample('Sourdough bread', ['kitchen', 'all']),
    sample('Locks in PostgreSQL explained', ['sql', 'all']),
    sample('Rye bread with sourdough', ['all']),
    sample('Something else'),
    sample('Bread, part 1', ['kitchen'], 'bread'),
    sample('Bread, part 2', ['kitchen'], 'bread'),
  ]
  const [indexes, sourdough, locks, rye, other, part1, part2] = posts as [Sample, ...Sample[]] as Sample[]
  const relatedTo = await createRelated(posts)

  it('share rare tags and words, the nearest first', () => {
    assert.deepEqual(relatedTo(indexes as Sample)[0], locks)
    assert.deepEqual(relatedTo(rye as Sample)[0], sourdough)
  })

  it('are not those with one word in common, of the same series, or linked already', () => {
    assert.deepEqual(relatedTo(other as Sample), [])
    assert.deepEqual(relatedTo(part1 as Sample), [sourdough])
    assert.deepEqual(relatedTo(part2 as Sample, [sourdough]), [])
    for (const post of posts) assert.ok(!relatedTo(post).includes(post))
  })

  it('are the same at every call, and of equals the newest', async () => {
    const same = Array.from({ length: 10 }, (_, number) => sample(`Post ${number}`, ['tag']))
    const related = await createRelated(same)
    assert.deepEqual(related(same[9] as Sample), same.slice(0, 3))
    assert.deepEqual(related(same[0] as Sample), same.slice(1, 4))
    assert.deepEqual(related(same[0] as Sample), related(same[0] as Sample))
  })

  it('of 10,000 posts with the same tags and words are found in seconds', async () => {
    const many = Array.from({ length: 10_000 }, (_, number) =>
      sample(`The same words in every title ${number}`, ['a', 'b', 'c']),
    )
    const index = await indexRelatedPosts(many)
    await assertProcessorTime(8_000, () => {
      for (const place of many.keys()) relatedPosts(index, many, place)
    })
  })

  it('are indexed again only when a title, a description or a tag has changed', async () => {
    const index = await indexRelatedPosts(posts)
    assert.equal((await indexRelatedPosts([...posts], index)).terms, index.terms)
    const changed = [...posts.slice(1), sample('Indexes of SQLite', ['sql'])]
    const next = await indexRelatedPosts(changed, index)
    assert.notEqual(next.terms, index.terms)
    assert.deepEqual(relatedPosts(next, changed, 6), [locks])
  })
})
