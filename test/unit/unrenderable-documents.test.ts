import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DEFAULT_SITE } from '../../src/content/site.ts'
import type { Frame } from '../../src/pages/layout.ts'
import type { PublishedPost } from '../../src/pages/site-pages.ts'
import { fullTextFiles } from '../../src/publishing/full-text.ts'
import { tagFeeds } from '../../src/publishing/public-files.ts'

const FRAME: Frame = {
  ...{ site: DEFAULT_SITE, baseUrl: 'https://site.example', font: '', icon: '' },
  stylesheets: { public: '', account: '', full: '' },
}
const DATE = new Date('2026-01-01')

function post(name: string, body: PublishedPost['body']): PublishedPost {
  const fields = {
    path: `/blog/${name}`,
    title: name,
    description: '',
    source: name,
    tags: [],
    date: DATE,
    modified: DATE,
  }
  return { ...fields, cover: () => undefined, body } as unknown as PublishedPost
}

const POSTS = [
  post('good', async () => ({
    html: '',
    feedHtml: () => '<p>Good</p>',
    markdown: 'Good',
    minutes: 1,
    headings: new Map(),
  })),
  post('bad', () => Promise.reject(new Error('cannot be rendered'))),
]

describe('a document that cannot be rendered', () => {
  it('is left out of the feeds', async () => {
    for (const { path, content } of tagFeeds(FRAME, [{ tag: { name: 'T', slug: 't' }, posts: POSTS }], () => DATE)) {
      const text = String(await content())
      assert.ok(text.includes('/blog/good') && !text.includes('/blog/bad'), path)
    }
  })

  it('is left out of the full text', async () => {
    const planAt = (path: string) => {
      const planned = POSTS.find((post) => post.path === path)
      return (
        planned && {
          path,
          build: async () => ({ ...planned, main: undefined, markdown: (await planned.body()).markdown }),
        }
      )
    }
    const [file] = fullTextFiles(FRAME, { intro: POSTS[1], pages: [], posts: POSTS, planAt } as never)
    const text = String(await file?.content())
    assert.ok(text.includes('Good') && !text.includes('/blog/bad'), text)
  })
})
