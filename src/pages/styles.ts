import { readFile } from 'node:fs/promises'
import type { Look } from '../content/site.ts'
import { accentCss } from '../lib/accent.ts'
import { replaceCssComments } from '../lib/css-comments.ts'
import { FONT_CSS } from './fonts.ts'

// In the order of the cascade: tokens, elements, components, pages.
const COMMON_FILES = ['tokens', 'base', 'components', 'frame']
const PUBLIC_FILES = ['site', 'lists', 'prose', 'math', 'docs']
const ACCOUNT_FILES = ['account']
const OTHER_FILES = ['desk', 'desk-site', 'dev']

const [COMMON_RULES, PUBLIC_RULES, ACCOUNT_RULES, OTHER_RULES] = await Promise.all(
  [COMMON_FILES, PUBLIC_FILES, ACCOUNT_FILES, OTHER_FILES].map(
    async (files) => `${(await Promise.all(files.map(readStyles))).join('\n')}\n`,
  ) as [Promise<string>, Promise<string>, Promise<string>, Promise<string>],
)

/** A page links to one style sheet. That of the desk and of the development pages, `full`, has all rules. */
const RULES = {
  public: COMMON_RULES + PUBLIC_RULES,
  account: COMMON_RULES + ACCOUNT_RULES,
  full: COMMON_RULES + PUBLIC_RULES + ACCOUNT_RULES + OTHER_RULES,
}
export type StyleSheetName = keyof typeof RULES

const PRINT_RULES = await readStyles('print')
/** Each look other than the first one is a file that changes tokens and rules. */
const LOOK_RULES: Record<Look, string> = {
  portico: '',
  journal: await readStyles('looks/journal'),
  terminal: await readStyles('looks/terminal'),
}

interface StyleSettings {
  accent: string
  look: Look
}

/** A style sheet as it is sent: the font, the tokens with the accent of the site, and the rules. */
export function styleSheet(name: StyleSheetName, settings: StyleSettings): string {
  return compact(readableStyleSheet(name, settings))
}

function readableStyleSheet(name: StyleSheetName, { accent, look }: StyleSettings): string {
  return FONT_CSS + RULES[name] + LOOK_RULES[look] + PRINT_RULES + accentCss(accent)
}

/** Without comments and indentation, which are a fifth of the compressed bytes. No string contains either. */
function compact(css: string): string {
  return replaceCssComments(css, () => '').replace(/\n\s+/g, '\n')
}

function readStyles(name: string): Promise<string> {
  return readFile(new URL(`./styles/${name}.css`, import.meta.url), 'utf8')
}

/** The rules and the variables that the contribution graph needs as a file of its own. */
export function graphStyles(accent: string): string {
  const css = readableStyleSheet('public', { accent, look: 'portico' })
  const rules = css.split(/(?<=\}\n)/).filter((rule) => rule.startsWith('.graph '))
  const variables = css.split('\n').filter((line) => /^ {2}--(soft|sans|accent-\d): /.test(line))
  return `:root{color-scheme:light dark;${variables.join('')}}${rules.join('')}`
}

type Scheme = 'light' | 'dark'
const TOKENS = ['ground', 'surface', 'ink', 'soft', 'edge'] as const
type Token = (typeof TOKENS)[number]

const LOOK_COLOURS: Record<Look, Record<Scheme, Record<Token, string>>> = {
  portico: coloursOf(COMMON_RULES),
  journal: coloursOf(LOOK_RULES.journal),
  terminal: coloursOf(LOOK_RULES.terminal),
}

/** The main colours of a look, for programs that do not read the style sheet. */
export function lookColours(look: Look): Record<Scheme, Record<Token, string>> {
  return LOOK_COLOURS[look]
}

/** The colours of the bar at the top of the pages, which browsers continue in their own bar (`theme-color`). */
export function barColours(look: Look): Record<Scheme, string> {
  const token = look === 'portico' ? 'surface' : 'ground'
  const { light, dark } = LOOK_COLOURS[look]
  return { light: light[token], dark: dark[token] }
}

/** Both values of each token, which is defined as `--name: light-dark(#rrggbb, #rrggbb)`. */
function coloursOf(css: string): Record<Scheme, Record<Token, string>> {
  const lines = css.split('\n')
  const pairs = TOKENS.map((token) => {
    const line = lines.find((line) => line.startsWith(`  --${token}: light-dark(`))
    const [light, dark] = line?.match(/#\w{6}/g) ?? []
    if (!light || !dark) throw new Error(`there is no colour --${token}`)
    return { token, light, dark }
  })
  const inScheme = (scheme: Scheme) =>
    Object.fromEntries(pairs.map((pair) => [pair.token, pair[scheme]])) as Record<Token, string>
  return { light: inScheme('light'), dark: inScheme('dark') }
}
