import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { array, assert as check, constantFrom, property } from 'fast-check'
import { isOneMistakeAway } from '../../src/content/search/typing-mistakes.ts'

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
        assert.equal(isOneMistakeAway(one, other), mistakesIn(one).has(other), `${one} ${other}`)
      }),
      { numRuns: 2000 },
    )
  })

  it('is at the beginning, in the middle or at the end', () => {
    for (const wrong of ['ettings', 'xsettings', 'setings', 'settigns', 'setting', 'settingsx', 'settinga'])
      assert.ok(isOneMistakeAway('settings', wrong), wrong)
    for (const wrong of ['stetigns', 'setti', 'settingsxx', 'gnittes'])
      assert.ok(!isOneMistakeAway('settings', wrong), wrong)
  })
})
