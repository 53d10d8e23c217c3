import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { replaceCssComments } from '../../src/lib/css-comments.ts'
import { assertProcessorTime } from '../support/measuring.ts'

describe('the comments of a style sheet', () => {
  for (const [css, expected] of [
    ['a { } /* one */ b { } /* two */', 'a { }  b { } '],
    ['a { } /* * / ** */ b { }', 'a { }  b { }'],
    ['a { } /* no end', 'a { } '],
    ['a { } /*/ b { }', 'a { } '],
    ['a { } */ b { }', 'a { } */ b { }'],
  ] as const) {
    it(`are removed from ${css}`, () =>
      assert.equal(
        replaceCssComments(css, () => ''),
        expected,
      ))
  }

  it('are replaced in linear time', async () => {
    const css = '/* '.repeat(500_000)
    await assertProcessorTime(125, () => assert.equal(replaceCssComments(css, () => '').length, 0))
  })
})
