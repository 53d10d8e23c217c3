import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_SITE, LOOKS, readSite } from '../../src/content/site.ts'
import { accentCss } from '../../src/lib/accent.ts'
import { contrast } from '../../src/lib/colour.ts'
import { hexColour } from '../support/random-values.ts'

// WCAG 2.2: 1.4.3 for text, 1.4.11 for the edges of controls.
const MIN_TEXT_CONTRAST = 4.5
const MIN_EDGE_CONTRAST = 3
const SCHEMES = ['light', 'dark'] as const
const RANDOM_ACCENTS = 200
const EXTREME_ACCENTS = ['#ffffff', '#000000', '#ffff00', '#ff0000', '#00ff00', '#0000ff', '#00ffff', '#808080']

const SURFACES = ['ground', 'surface', 'sunken']
const STATES = ['good', 'warn', 'bad', 'key', 'note']
/** What is drawn on what, and the least contrast of the two. */
const TOKEN_PAIRS: [front: string, back: string, least: number][] = [
  ...['ink', 'soft', ...STATES].flatMap((front) => SURFACES.map((back) => textOn(front, back))),
  ...STATES.flatMap((state) => [textOn(state, `${state}-tint`), textOn('ink', `${state}-tint`)]),
  ['edge', 'ground', MIN_EDGE_CONTRAST],
  ['edge', 'surface', MIN_EDGE_CONTRAST],
]
const ACCENT_PAIRS: typeof TOKEN_PAIRS = [
  ...[...SURFACES, 'accent-tint'].map((back) => textOn('accent', back)),
  textOn('ink', 'accent-tint'),
  // Links in callouts.
  ...STATES.map((state) => textOn('accent', `${state}-tint`)),
  textOn('on-accent', 'accent'),
  textOn('on-accent', 'accent-strong'),
]

function textOn(front: string, back: string): (typeof TOKEN_PAIRS)[number] {
  return [front, back, MIN_TEXT_CONTRAST]
}

const readStyles = (name: string) => readFile(new URL(`../../src/pages/styles/${name}.css`, import.meta.url), 'utf8')
const TOKENS = await readStyles('tokens')
/** The tokens of each look. The last definition of a token counts. */
const LOOK_TOKENS = await Promise.all(
  LOOKS.map(async (look) => ({
    look,
    tokens: look === 'portico' ? TOKENS : TOKENS + (await readStyles(`looks/${look}`)),
    accent: readSite('site.yaml', `title: A\nlook: ${look}`, DEFAULT_SITE, assert.fail).accent,
  })),
)

/** The colours that a style sheet defines as `--name: light-dark(#rrggbb, #rrggbb)`. */
function coloursOf(css: string, scheme: (typeof SCHEMES)[number]): Map<string, string> {
  const found = css.matchAll(/--([\w-]+):\s*light-dark\(\s*(#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\s*\)/g)
  return new Map([...found].map(([, name = '', light = '', dark = '']) => [name, scheme === 'light' ? light : dark]))
}

function faintPairs(css: string, pairs: typeof TOKEN_PAIRS): string[] {
  return SCHEMES.flatMap((scheme) => {
    const colours = coloursOf(css, scheme)
    return pairs.flatMap(([front, back, least]) => {
      const [one, other] = [colours.get(front), colours.get(back)]
      assert.ok(one && other, `there is no colour ${one ? back : front}`)
      const ratio = contrast(one, other)
      return ratio >= least ? [] : [`${front} on ${back} in ${scheme}: ${one} on ${other} is ${ratio.toFixed(2)}`]
    })
  })
}

describe('the colours of the pages', () => {
  for (const { look, tokens, accent } of LOOK_TOKENS) {
    it(`have enough contrast in the look ${look}`, () => {
      assert.deepEqual(faintPairs(tokens, TOKEN_PAIRS), [])
    })

    for (const colour of [accent, ...EXTREME_ACCENTS]) {
      it(`have enough contrast in the look ${look} with the accent ${colour}`, () => {
        assert.deepEqual(faintPairs(tokens + accentCss(colour), ACCENT_PAIRS), [])
      })
    }

    it(`have enough contrast in the look ${look} with any accent`, () => {
      const isReadable = (colour: string) => assert.deepEqual(faintPairs(tokens + accentCss(colour), ACCENT_PAIRS), [])
      fc.assert(fc.property(hexColour, isReadable), { numRuns: RANDOM_ACCENTS })
    })
  }

  it('are reported when a pair is too faint', () => {
    const faint = TOKENS.replace(/--soft: [^;]+;/, '--soft: light-dark(#b0b0b0, #a4a6aa);')
    assert.match(
      faintPairs(faint, TOKEN_PAIRS).join('\n'),
      /^soft on ground in light: #b0b0b0 on #[0-9a-f]{6} is 2\.\d/,
    )
  })
})
