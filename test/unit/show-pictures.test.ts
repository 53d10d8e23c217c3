import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addDimensions, showPictures } from '../../src/content/show-pictures.ts'
import { htmlOf } from './rendering.ts'

const PAGE = 'https://site.example/blog/post'
const PICTURE = { path: '/blog/a.png', width: 100, height: 50, sizes: undefined }
const find = (path: string) => (path === PICTURE.path ? PICTURE : undefined)

/** The `<img>` elements of a markdown text, on its page and in a feed. */
function elementsOf(markdown: string) {
  const html = htmlOf(markdown)
  const elementsIn = (text: string) => text.match(/<img [^>]*>/g) ?? []
  return {
    onPage: elementsIn(showPictures(html, PAGE, find)),
    inFeed: elementsIn(addDimensions(html, PAGE, find)),
  }
}

describe('a picture', () => {
  it('gets its dimensions and is loaded late, whatever its text and its title say', () => {
    for (const text of ['set width=100', 'use loading=lazy', 'a height=1 width=2']) {
      const { onPage, inFeed } = elementsOf(`![first](a.png)\n\nSee ![${text}](a.png "its ${text}")`)
      const attributes = `src="a.png" alt="${text}" title="its ${text}" width="100" height="50"`
      assert.equal(onPage[1], `<img ${attributes} loading="lazy" decoding="async">`)
      assert.equal(inFeed[1], `<img ${attributes}>`)
    }
  })

  it('with a space as its text has an empty one, also beside a title', () => {
    const { onPage } = elementsOf('See ![ ](a.png "set width=100")')
    assert.deepEqual(onPage, [
      '<img src="a.png" alt="" title="set width=100" width="100" height="50" fetchpriority="high" decoding="async">',
    ])
  })
})
