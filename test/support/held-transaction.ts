import type { TestContext } from 'node:test'
import type { Tx } from '../../src/database/engine.ts'
import type { EngineName, Service } from './service.ts'
import { turns, untilSomebodyWaits } from './waiting.ts'

/**
 * Two transactions of which the second finds the work of the first done and not committed. The first one is work of the
 * test that takes a transaction, or a request that begins one. It commits when the second one waits for it; before that
 * it may do something else.
 */
export async function atOnce<First, Second>(
  { mock }: TestContext,
  { service, engine }: { service: Service; engine: EngineName },
  first: ((tx: Tx) => Promise<First>) | (() => Promise<First>),
  second: () => Promise<Second>,
  lastly: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<[First, Second]> {
  const { database } = service.portico
  const { transaction } = database
  const isDone = Promise.withResolvers<void>()
  const held: typeof transaction = (work) =>
    transaction(async (tx) => {
      const result = await work(tx)
      isDone.resolve()
      // On SQLite whoever wants to write waits before anything is read.
      await (engine === 'postgres' ? untilSomebodyWaits(service) : turns())
      await lastly(tx)
      return result
    })
  mock.method(database, 'transaction', held, { times: 1 })
  const begun = first.length === 1 ? database.transaction(first) : (first as () => Promise<First>)()
  await Promise.race([isDone.promise, begun])
  return Promise.all([begun, second()])
}
