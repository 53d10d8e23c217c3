/** A line for whoever waits for a long test, shown at once. */
export function tell(text: string): void {
  process.stdout.write(`    ${text}\n`)
}
