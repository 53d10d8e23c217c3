import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const RELATIVE_LINK = /!?\[([^\]]*)\]\((?![a-z]+:|#)([^)#\s]+)[^)\s]*\)/g

/** Copies a text of the repository into a package. A link to a file that the package lacks becomes its words. */
export function copyText(name: string, from: string, to: string): void {
  const text = readFileSync(join(from, name), 'utf8')
  const copy = text.replace(RELATIVE_LINK, (link, words: string, file: string) =>
    existsSync(join(to, file)) ? link : words,
  )
  writeFileSync(join(to, name), copy)
}
