import { type Config, loadConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { version } from '../lib/version.ts'
import { type Check, type Finding, fault, ok, skipped, warning } from './finding.ts'

const MEND_SETTING = 'Change it in .env or in the environment, and restart the service.'

/** Reads the settings. If they have faults, all of them are findings, and there is no configuration. */
export function readSettings(): { config: Config } | { findings: Finding[] } {
  try {
    return { config: loadConfig() }
  } catch (error) {
    const { faults, warnings } =
      error instanceof ConfigError ? error : { faults: [`.env cannot be read: ${String(error)}`], warnings: [] }
    const observations = [
      ...faults.map((message) => fault(message, MEND_SETTING)),
      ...warnings.map((message) => warning(message, MEND_SETTING)),
      skipped('all other checks: they need settings without faults'),
    ]
    return { findings: observations.map((observation) => ({ check: 'settings', ...observation })) }
  }
}

export const checkSettings: Check = async ({ config: { mode, baseUrl, warnings } }) => [
  ok(`${mode}, ${baseUrl}`),
  ...warnings.map((message) => warning(message, MEND_SETTING)),
]

export const checkVersion: Check = async () => [ok(`Portico ${version} on Node ${process.versions.node}`)]
