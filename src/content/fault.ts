/** What is wrong with a content file, said so that its author can mend it. The rest of the site goes on without it. */
export class ContentFault extends Error {
  readonly file: string
  readonly line: number

  constructor(file: string, line: number, message: string) {
    super(`${file}:${line}: ${message}`)
    this.file = file
    this.line = line
  }
}
