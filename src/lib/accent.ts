import { contrast, type Oklch, toHex, toOklch } from './colour.ts'

/** The colours that are derived from the accent of a site, for one colour scheme. */
export interface AccentColours {
  /** Links, the main button, and what is selected. */
  accent: string
  /** The main button under the pointer. */
  'accent-strong': string
  /** Text on the main button. */
  'on-accent': string
  /** The background of notices and badges. */
  'accent-tint': string
  /** The squares of the contribution graph, from few contributions to many. */
  'accent-1': string
  'accent-2': string
  'accent-3': string
  'accent-4': string
}

/** The accent of a site that names none. */
export const DEFAULT_ACCENT = '#0b6e5f'

// The text contrast of WCAG 2.2, 1.4.3, with a margin for rounding.
const MIN_CONTRAST = 4.6
const LIGHTNESS_STEP = 0.005
// The surfaces of tokens.css on which the accent is text: the darkest light one and the lightest dark one.
const SUNKEN_LIGHT = '#f3f1ed'
const SURFACE_DARK = '#1a1b1d'
const GROUND_DARK = '#121314'

/**
 * Derives all accent colours from one colour. They keep its hue. The lightness is changed until text in the accent has
 * enough contrast, so any colour is allowed.
 */
export function accentColours(colour: string): { light: AccentColours; dark: AccentColours } {
  const base = toOklch(colour)
  const tintLight = toHex({ ...base, lightness: 0.955, chroma: Math.min(base.chroma, 0.025) })
  const tintDark = toHex({ ...base, lightness: 0.27, chroma: Math.min(base.chroma, 0.035) })
  const light = untilReadable({ ...base, lightness: Math.min(base.lightness, 0.62) }, -1, [SUNKEN_LIGHT, tintLight])
  const dark = untilReadable({ ...base, lightness: Math.max(base.lightness, 0.76) }, 1, [SURFACE_DARK, tintDark])
  return {
    light: {
      accent: toHex(light),
      'accent-strong': toHex({ ...light, lightness: light.lightness - 0.07 }),
      'on-accent': '#ffffff',
      'accent-tint': tintLight,
      ...graphColours(light, 0.9),
    },
    dark: {
      accent: toHex(dark),
      'accent-strong': toHex({ ...dark, lightness: Math.min(0.95, dark.lightness + 0.06) }),
      'on-accent': GROUND_DARK,
      'accent-tint': tintDark,
      ...graphColours(dark, 0.34),
    },
  }
}

/** The accent colours as CSS custom properties. */
export function accentCss(colour: string): string {
  const { light, dark } = accentColours(colour)
  const names = Object.keys(light) as (keyof AccentColours)[]
  return `:root {\n${names.map((name) => `  --${name}: light-dark(${light[name]}, ${dark[name]});`).join('\n')}\n}\n`
}

function untilReadable(start: Oklch, direction: 1 | -1, backgrounds: string[]): Oklch {
  let { lightness } = start
  const isReadable = () =>
    backgrounds.every((background) => contrast(toHex({ ...start, lightness }), background) >= MIN_CONTRAST)
  while (!isReadable() && lightness > 0 && lightness < 1) lightness += direction * LIGHTNESS_STEP
  return { ...start, lightness }
}

/** Four steps of lightness, from a lightness near that of the background to that of the accent. */
function graphColours(accent: Oklch, from: number) {
  const step = (number: number) =>
    toHex({
      ...accent,
      lightness: from + ((accent.lightness - from) * number) / 3,
      chroma: (accent.chroma * (number + 1.5)) / 4.5,
    })
  return { 'accent-1': step(0), 'accent-2': step(1), 'accent-3': step(2), 'accent-4': step(3) }
}
