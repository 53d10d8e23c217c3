import { nearest } from '../lib/nearest.ts'
import type { DotEnv } from './dot-env.ts'

// Unknown variables with these prefixes are reported even when no setting has a similar name.
const OWN_PREFIXES = ['RATE_LIMIT_', 'SMTP_', 'IDP_', 'CODEHOST_', 'TRUSTED_PROX']

/**
 * Finds names that are not settings. In `.env`, a name close to a setting is a fault and any other unknown name a
 * warning. The process environment contains variables of other programs: a name close to a setting, or with a prefix of
 * Portico, is a warning there, and other names are ignored.
 */
export function findUnknownSettings(known: string[], env: NodeJS.Dict<string>, file: DotEnv) {
  const isUnknown = (name: string) => !known.includes(name)
  const faults: [name: string, problem: string][] = []
  const warnings: string[] = []
  for (const [name, line] of file.lines) {
    if (!isUnknown(name)) continue
    const suggestion = nearest(name, known)
    const problem = `in line ${line} of .env is not a setting`
    if (suggestion) faults.push([name, `${problem}: did you mean ${suggestion}?`])
    else warnings.push(`${name} ${problem} of Portico`)
  }
  for (const name of Object.keys(env).filter(isUnknown)) {
    if (!env[name] || file.lines.has(name)) continue
    const suggestion = nearest(name, known)
    if (suggestion) warnings.push(`${name} is not a setting: did you mean ${suggestion}?`)
    else if (OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
      warnings.push(`${name} is not a setting of Portico`)
  }
  return { faults, warnings }
}
