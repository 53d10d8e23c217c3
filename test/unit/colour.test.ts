import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { contrast, toHex, toOklch } from '../../src/lib/colour.ts'
import { hexColour } from '../support/random-values.ts'

// As browsers compute `oklch(from <colour> l c h)` (CSS Color 4): lightness, chroma, and hue in degrees.
const KNOWN: Record<string, [number, number, number]> = {
  '#ff0000': [0.628, 0.2577, 29.23],
  '#00ff00': [0.8664, 0.2948, 142.5],
  '#0000ff': [0.452, 0.3132, 264.05],
  '#ffff00': [0.968, 0.211, 109.77],
  '#663399': [0.4403, 0.1603, 303.37],
}
// The ratios of WCAG 2.2: #767676 is the lightest grey that is readable on white.
const KNOWN_CONTRASTS = [
  ['#000000', '#ffffff', 21],
  ['#ffffff', '#ffffff', 1],
  ['#767676', '#ffffff', 4.54],
  ['#777777', '#ffffff', 4.48],
  ['#ff0000', '#ffffff', 4],
  ['#0000ff', '#ffffff', 8.59],
] as const

const assertNear = (value: number, expected: number, tolerance: number) =>
  assert.ok(Math.abs(value - expected) <= tolerance, `${value} is not ${expected}`)

describe('a colour', () => {
  for (const [hex, [lightness, chroma, degrees]] of Object.entries(KNOWN)) {
    it(`has the OKLCH values of CSS: ${hex}`, () => {
      const colour = toOklch(hex)
      assertNear(colour.lightness, lightness, 0.0002)
      assertNear(colour.chroma, chroma, 0.0002)
      assertNear(((colour.hue * 180) / Math.PI + 360) % 360, degrees, 0.05)
    })
  }

  it('has no chroma when it is grey', () => {
    for (const [hex, lightness] of [
      ['#000000', 0],
      ['#808080', 0.5999],
      ['#ffffff', 1],
    ] as const) {
      const colour = toOklch(hex)
      assertNear(colour.lightness, lightness, 0.0002)
      assertNear(colour.chroma, 0, 0.0002)
    }
  })

  it('is the same after a conversion to OKLCH and back', () => {
    fc.assert(fc.property(hexColour, (hex) => assert.equal(toHex(toOklch(hex)), hex)))
  })

  it('outside sRGB is converted to one inside, with the same lightness and hue', () => {
    const vivid = { lightness: 0.7, chroma: 0.4, hue: 2.5 }
    const shown = toOklch(toHex(vivid))
    assertNear(shown.lightness, vivid.lightness, 0.01)
    assertNear(shown.hue, vivid.hue, 0.03)
    assert.ok(shown.chroma < vivid.chroma && shown.chroma > 0.15, String(shown.chroma))
  })

  it('is black or white when its lightness is out of range', () => {
    assert.equal(toHex({ lightness: -0.1, chroma: 0.1, hue: 1 }), '#000000')
    assert.equal(toHex({ lightness: 1.1, chroma: 0.1, hue: 1 }), '#ffffff')
  })

  it('has the contrast of WCAG to another, in either order', () => {
    for (const [one, other, ratio] of KNOWN_CONTRASTS) {
      assertNear(contrast(one, other), ratio, 0.005)
      assert.equal(contrast(one, other), contrast(other, one))
    }
  })
})
