import type { Database } from '../databases/database.ts'
import { startServer } from '../measure/server.ts'
import { BASE_URL } from './start-portico.ts'

/** On the database of a Portico, whose tokens it verifies. */
export function startByHand({ env }: Database) {
  return startServer('bench/contenders/by-hand.ts', { BASE_URL, ...env })
}
