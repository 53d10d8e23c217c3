/**
 * An error in a content file, with file and line for its author. The rest of the site is published without the file.
 */
export class ContentFault extends Error {
  readonly file: string
  readonly line: number

  constructor(file: string, line: number, message: string) {
    super(`${file}:${line}: ${message}`)
    this.file = file
    this.line = line
  }
}
