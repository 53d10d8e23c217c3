/** Prints a line of progress of a long test at once. */
export function report(text: string): void {
  process.stdout.write(`    ${text}\n`)
}
