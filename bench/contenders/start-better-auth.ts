import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { PASSWORD } from '../databases/people.ts'
import { type Place, startServer } from '../measure/server.ts'

export function startBetterAuth(bench: Bench, accounts: number) {
  return betterAuthWith(bench, accounts)()
}

/** Each call starts a process on the same database with the same secret: sessions survive. */
export function betterAuthWith({ folder }: Bench, accounts: number, place?: Place) {
  const settings = {
    DATA_DIR: mkdtempSync(join(folder, 'better-auth-')),
    ACCOUNTS: String(accounts),
    PASSWORD,
    SECRET: randomUUID() + randomUUID(),
  }
  return () => startServer('bench/contenders/better-auth.mjs', settings, place)
}
