import { replaceCssComments } from '../lib/css-comments.ts'
import { ContentFault } from './fault.ts'

/** The author's own style sheet, in the content folder. It follows the style sheet of the site. */
export const OWN_STYLES_FILE = 'site.css'
const MAX_BYTES = 100 * 1024
// The content security policy allows styles, fonts and pictures of this site, and pictures of others over https.
const FOREIGN_IMPORT = /@import(?:url\()?["']?(?:https?:)?\/\//i
const BLOCKED_ENDINGS = ['.css', '.otf', '.ttf', '.woff', '.woff2']

/** Checks the style sheet. Returns its text. */
export function readOwnStyles(file: string, text: string, note: (fault: ContentFault) => void): string {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new ContentFault(file, 1, 'is larger than 100 KiB')
  for (const [index, line] of text.split('\n').entries()) {
    if (FOREIGN_IMPORT.test(line.replace(/\s/g, '')) || styleAddresses(line).some(isBlocked))
      note(
        new ContentFault(
          file,
          index + 1,
          'browsers do not load this file of another site: put it in the content folder',
        ),
      )
  }
  return text
}

/** The addresses of the files that a style sheet refers to. */
export function styleAddresses(css: string): string[] {
  return [...css.matchAll(/url\(\s*["']?([^"')]*)/g)].map(([, address = '']) => address.trim())
}

/** The same with their lines, without those in comments. */
export function styleLinks(css: string): { address: string; line: number }[] {
  const withoutComments = replaceCssComments(css, (comment) => comment.replace(/[^\n]/g, ''))
  return withoutComments
    .split('\n')
    .flatMap((text, index) => styleAddresses(text).map((address) => ({ address, line: index + 1 })))
}

function isBlocked(address: string): boolean {
  const [file = ''] = address.toLowerCase().split(/[?#]/, 1)
  if (file.startsWith('http:')) return true
  return /^(?:https:)?\/\//.test(file) && BLOCKED_ENDINGS.some((ending) => file.endsWith(ending))
}
