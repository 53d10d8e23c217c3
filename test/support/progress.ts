/** Prints a line of progress of a long test at once. */
export function tell(text: string): void {
  process.stdout.write(`    ${text}\n`)
}
