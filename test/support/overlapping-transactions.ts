import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Tx } from '../../src/database/engine.ts'
import type { EngineName, Service } from './service.ts'

/**
 * Two transactions. The second one starts when the first has done its work and not committed. The first is a function
 * of the test that gets a transaction, or a request that begins one. It commits when the second waits for it. Before
 * that it may do other work.
 */
export async function runOverlapping<First, Second>(
  { mock }: TestContext,
  { service, engine }: { service: Service; engine: EngineName },
  first: ((tx: Tx) => Promise<First>) | (() => Promise<First>),
  second: () => Promise<Second>,
  beforeCommit: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<[First, Second]> {
  const { database } = service.portico
  const { transaction } = database
  const isDone = Promise.withResolvers<void>()
  const delayedTransaction: typeof transaction = (work) =>
    transaction(async (tx) => {
      const result = await work(tx)
      isDone.resolve()
      // On SQLite a writer waits for the write lock before it reads.
      await (engine === 'postgres' ? untilLockIsAwaited(service) : turns())
      await beforeCommit(tx)
      return result
    })
  mock.method(database, 'transaction', delayedTransaction, { times: 1 })
  const begun = first.length === 1 ? database.transaction(first) : (first as () => Promise<First>)()
  await Promise.race([isDone.promise, begun])
  return Promise.all([begun, second()])
}

/** Resolves when a transaction on PostgreSQL waits for the lock of another. */
export async function untilLockIsAwaited({ portico: { database } }: Service): Promise<void> {
  const deadline = Date.now() + 60_000
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await waiting.execute(database.query)).rows.length === 0) {
    if (Date.now() > deadline) throw new Error('no transaction waits for a lock')
    await setTimeout(5)
  }
}

/** Enough turns of the event loop for all work that waits only for its turn. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}
