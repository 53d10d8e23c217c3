/** One message that lists all faults, so that the operator can fix them together. */
export class ConfigError extends Error {
  /** One sentence for each fault, without indentation. */
  readonly faults: string[]
  readonly warnings: string[]

  constructor(faults: string[], warnings: string[]) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`
    const indented = (lines: string[]) => lines.map((line) => `  ${line}`)
    const warningLines = warnings.length > 0 ? ['Also:', ...indented(warnings)] : []
    super([`The configuration has ${count}:`, ...indented(faults), ...warningLines].join('\n'))
    this.faults = faults
    this.warnings = warnings
  }
}
