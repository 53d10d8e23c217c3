import { readFile } from 'node:fs/promises'
import { accentCss } from '../lib/accent.ts'
import { FONT_CSS } from './fonts.ts'

// In the order of the cascade: tokens, elements, components, pages.
const FILES = ['tokens', 'base', 'components', 'frame', 'site', 'docs', 'account', 'desk', 'desk-site', 'dev', 'print']

const RULES = (
  await Promise.all(FILES.map((name) => readFile(new URL(`./styles/${name}.css`, import.meta.url), 'utf8')))
).join('\n')

/** The style sheet of the pages: the font, the tokens with the accent of the site, and all rules. */
export function styleSheet(accent: string): string {
  return FONT_CSS + RULES + accentCss(accent)
}

/** The rules and the variables that the contribution graph needs as a file of its own. */
export function graphStyles(accent: string): string {
  const css = styleSheet(accent)
  const rules = css.split(/(?<=\}\n)/).filter((rule) => rule.startsWith('.graph '))
  const variables = css.split('\n').filter((line) => /^ {2}--(soft|sans|accent-\d): /.test(line))
  return `:root{color-scheme:light dark;${variables.join('')}}${rules.join('')}`
}
