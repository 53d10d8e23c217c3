import { createRequire } from 'node:module'
import type Temml from 'temml'
import { escapeHtml } from '../../lib/escape-html.ts'
import { STYLE_CLASSES } from './math-classes.ts'

// A longer formula is probably a mistake, such as a missing `$`.
export const MAX_TEX_CHARACTERS = 2000
const MAX_MACRO_EXPANSIONS = 200
const MAX_SIZE_EM = 20
const MAX_SIZE_PT = 200

// A definition would be known in its own formula only, and could multiply the length of the formula.
const DEFINITION = /\\(?:[egx]?def|(?:future|global)?let|global|long|(?:new|renew|provide)command|csname)(?![a-zA-Z@])/

const require = createRequire(import.meta.url)
let temml: typeof Temml | undefined

/** Converts TeX to MathML. The library is loaded with the first formula: most sites have none. */
export function toMathMl(tex: string, isDisplay: boolean): { html: string } | { problem: string } {
  if (tex.length > MAX_TEX_CHARACTERS) return { problem: `a formula has more than ${MAX_TEX_CHARACTERS} characters` }
  const [definition] = DEFINITION.exec(tex) ?? []
  if (definition) return { problem: `a formula cannot be read: definitions such as ${definition} are off` }
  temml ??= load()
  try {
    const markup = temml.renderToString(tex, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      maxSize: [MAX_SIZE_EM, MAX_SIZE_PT],
      maxExpand: MAX_MACRO_EXPANSIONS,
    })
    return { html: withoutStyles(markup) }
  } catch (error) {
    return { problem: `a formula cannot be read: ${reasonOf(error)}` }
  }
}

function load(): typeof Temml {
  const module = require('temml')
  return module.default ?? module
}

/** The message without the position and the excerpt that follow it. */
function reasonOf(error: unknown): string {
  const message = error instanceof RangeError ? 'it is nested too deeply' : String((error as Error).message)
  return message
    .split(/ at (?:position|end of input)/, 1)
    .join('')
    .trim()
}

const ELEMENTS = new Set(
  `math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow mspace msqrt mstyle msub
  msubsup msup mtable mtd mtext mtr munder munderover none`.split(/\s+/),
)
const ATTRIBUTES = new Set(
  `accent accentunder class columnspan depth display displaystyle fence form height largeop linethickness lspace
  mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rspace scriptlevel separator
  stretchy symmetric voffset width`.split(/\s+/),
)
const SAFE_VALUE = /^[\w .#%+-]*$/

/**
 * Keeps only elements and attributes of MathML that cannot name an address. Inline styles, which the CSP blocks, become
 * classes of the style sheet or attributes.
 */
function withoutStyles(markup: string): string {
  return markup.replace(
    /<(\/?)([a-z]+)((?:[ /][^<>]*)?)>/g,
    (_tag, slash: string, name: string, attributes: string) => {
      if (!ELEMENTS.has(name)) return ''
      return slash ? `</${name}>` : `<${name}${attributesOf(attributes)}>`
    },
  )
}

function attributesOf(written: string): string {
  const attributes = new Map<string, string>()
  const classes: string[] = []
  for (const [, name = '', value = ''] of written.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
    if (name === 'style') for (const declaration of value.split(';')) convert(declaration)
    else if (name === 'class') classes.push(value)
    else if (ATTRIBUTES.has(name) && SAFE_VALUE.test(value)) attributes.set(name, value)
  }
  if (classes.length > 0) attributes.set('class', classes.join(' '))
  return [...attributes].map(([name, value]) => ` ${name}="${escapeHtml(value)}"`).join('')

  function convert(declaration: string): void {
    const [property, value = ''] = declaration.split(':', 2)
    const className = STYLE_CLASSES.get(declaration)
    if (className) classes.push(className)
    else if (property === 'color' && SAFE_VALUE.test(value)) attributes.set('mathcolor', value)
  }
}
