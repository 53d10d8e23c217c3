import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { PASSWORD } from '../databases/people.ts'
import { startServer } from '../measure/server.ts'

export function startBetterAuth({ folder }: Bench, accounts: number) {
  const settings = { DATA_DIR: mkdtempSync(join(folder, 'better-auth-')), ACCOUNTS: String(accounts), PASSWORD }
  return startServer('bench/contenders/better-auth.mjs', settings)
}
