import { printable } from '../lib/printable.ts'

/**
 * An error in a content file, with file and line for its author. The rest of the site is published without the file.
 */
export class ContentFault extends Error {
  readonly file: string
  readonly line: number
  /** The message without file and line. */
  readonly problem: string

  constructor(file: string, line: number, problem: string) {
    super(printable(`${file}:${line}: ${problem}`))
    this.file = file
    this.line = line
    this.problem = problem
  }
}

/** For a list by file and line. */
export function byPlace(a: ContentFault, b: ContentFault): number {
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1
}
