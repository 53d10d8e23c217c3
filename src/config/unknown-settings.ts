import { nearest } from '../lib/nearest.ts'
import type { DotEnv } from './dot-env.ts'

// Variables with these prefixes are meant for Portico even when their names are far from any setting.
const OWN_PREFIXES = ['RATE_LIMIT_', 'SMTP_', 'IDP_', 'CODEHOST_', 'TRUSTED_PROX']

/**
 * Names that are no settings. A misspelt name in `.env` is a fault, any other unknown name there a warning. The process
 * environment is full of foreign variables: there, only names that look like ours are told, and never refused.
 */
export function findUnknownSettings(known: string[], env: NodeJS.Dict<string>, file: DotEnv) {
  const isUnknown = (name: string) => !known.includes(name)
  const faults: [name: string, what: string][] = []
  const warnings: string[] = []
  for (const [name, line] of file.lines) {
    if (!isUnknown(name)) continue
    const meant = nearest(name, known)
    const what = `in line ${line} of .env is not a setting`
    if (meant) faults.push([name, `${what}: did you mean ${meant}?`])
    else warnings.push(`${name} ${what} of Portico`)
  }
  for (const name of Object.keys(env).filter(isUnknown)) {
    if (!env[name] || file.lines.has(name)) continue
    const meant = nearest(name, known)
    if (meant) warnings.push(`${name} is not a setting: did you mean ${meant}?`)
    else if (OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
      warnings.push(`${name} is not a setting of Portico`)
  }
  return { faults, warnings }
}
