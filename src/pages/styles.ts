import { readFile } from 'node:fs/promises'
import type { Look } from '../content/site.ts'
import { accentCss } from '../lib/accent.ts'
import { FONT_CSS } from './fonts.ts'

// In the order of the cascade: tokens, elements, components, pages.
const FILES = [
  'tokens',
  'base',
  'components',
  'frame',
  'site',
  'lists',
  'prose',
  'math',
  'docs',
  'account',
  'desk',
  'desk-site',
  'dev',
]

const RULES = (await Promise.all(FILES.map(readStyles))).join('\n')
const PRINT_RULES = await readStyles('print')
/** Each look other than the first one is a file that changes tokens and rules. */
const LOOK_RULES: Record<Look, string> = {
  portico: '',
  journal: await readStyles('looks/journal'),
  terminal: await readStyles('looks/terminal'),
}

/** The style sheet of the pages: the font, the tokens with the accent of the site, and all rules. */
export function styleSheet({ accent, look }: { accent: string; look: Look }): string {
  return FONT_CSS + RULES + LOOK_RULES[look] + PRINT_RULES + accentCss(accent)
}

function readStyles(name: string): Promise<string> {
  return readFile(new URL(`./styles/${name}.css`, import.meta.url), 'utf8')
}

/** The rules and the variables that the contribution graph needs as a file of its own. */
export function graphStyles(accent: string): string {
  const css = styleSheet({ accent, look: 'portico' })
  const rules = css.split(/(?<=\}\n)/).filter((rule) => rule.startsWith('.graph '))
  const variables = css.split('\n').filter((line) => /^ {2}--(soft|sans|accent-\d): /.test(line))
  return `:root{color-scheme:light dark;${variables.join('')}}${rules.join('')}`
}

/** The colours of the bar at the top of the pages, which browsers continue in their own bar (`theme-color`). */
export function barColours(look: Look): { light: string; dark: string } {
  return BAR_COLOURS[look]
}

const BAR_COLOURS: Record<Look, { light: string; dark: string }> = {
  portico: coloursOf('surface', RULES),
  journal: coloursOf('ground', LOOK_RULES.journal),
  terminal: coloursOf('ground', LOOK_RULES.terminal),
}

/** Both values of a token that is defined as `--name: light-dark(#rrggbb, #rrggbb)`. */
function coloursOf(token: string, css: string): { light: string; dark: string } {
  const line = css.split('\n').find((line) => line.startsWith(`  --${token}: light-dark(`))
  const [light, dark] = line?.match(/#\w{6}/g) ?? []
  if (!light || !dark) throw new Error(`there is no colour --${token}`)
  return { light, dark }
}
