import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { array, assert as check, constantFrom, property } from 'fast-check'
import { differByLetters, isWithinMistakes, lettersOf } from '../../src/content/search/typing-mistakes.ts'

const LETTERS = [...'abc']
// Few letters, so that short words are often one mistake away from each other.
const word = array(constantFrom(...LETTERS), { maxLength: 5 }).map((letters) => letters.join(''))

/** Every word that one mistake makes of a word. */
function mistakesIn(word: string): Set<string> {
  const places = [...Array(word.length + 1).keys()]
  const parts = places.map((at) => [word.slice(0, at), word.slice(at)] as const)
  return new Set(
    parts.flatMap(([before, after]) => [
      before + after.slice(1),
      ...LETTERS.flatMap((letter) => [before + letter + after, before + letter + after.slice(1)]),
      before + (after[1] ?? '') + (after[0] ?? '') + after.slice(2),
    ]),
  )
}

describe('a typing mistake', () => {
  it('is a letter too many, too few or wrong, or two neighbours exchanged, and nothing else', () => {
    check(
      property(word, word, (one, other) => {
        if (one === other) return
        assert.equal(isWithinMistakes(one, other, 1), mistakesIn(one).has(other), `${one} ${other}`)
      }),
      { numRuns: 2000 },
    )
  })

  it('is at the beginning, in the middle or at the end', () => {
    for (const wrong of ['ettings', 'xsettings', 'setings', 'settigns', 'setting', 'settingsx', 'settinga'])
      assert.ok(isWithinMistakes('settings', wrong, 1), wrong)
    for (const wrong of ['stetigns', 'setti', 'settingsxx', 'gnittes'])
      assert.ok(!isWithinMistakes('settings', wrong, 1), wrong)
    for (const wrong of ['stetigns', 'ttings', 'xsettingsx', 'stteings', 'settin'])
      assert.ok(isWithinMistakes('settings', wrong, 2), wrong)
    for (const wrong of ['settingsxxx', 'gnittes', 'setti', 'xxxtings'])
      assert.ok(!isWithinMistakes('settings', wrong, 2), wrong)
  })

  it('is found twice only where two mistakes lead, and its letters never exclude it', () => {
    check(
      property(word, word, (one, other) => {
        if (!isWithinMistakes(one, other, 2)) return
        const once = [one, ...mistakesIn(one)]
        assert.ok(
          once.some((wrong) => wrong === other || mistakesIn(wrong).has(other)),
          `${one} ${other}`,
        )
        assert.ok(!differByLetters(lettersOf(one), lettersOf(other), 2), `${one} ${other}`)
      }),
      { numRuns: 1000 },
    )
    assert.ok(differByLetters(lettersOf('abc'), lettersOf('xyz'), 2))
  })
})
