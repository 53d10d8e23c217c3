import { RELOAD_INTERVAL_MS } from '../sessions/key-ring.ts'
import { rotateSigningKeys } from '../sessions/rotate-keys.ts'
import type { Invocation } from './command.ts'
import { withDatabase, withExistingDatabase } from './open.ts'
import { alignColumns } from './terminal.ts'

// Servers load a new key within one interval, and sign with it one interval later.
const SIGNS_AFTER_MS = 2 * RELOAD_INTERVAL_MS

export async function rotateKeys({ json, terminal }: Invocation): Promise<undefined> {
  const { kid } = await withDatabase(terminal, rotateSigningKeys)
  if (json) terminal.printJson({ kid })
  else terminal.print(`Within two minutes, new tokens will be signed with key ${kid}`)
}

export async function listKeys({ json, terminal }: Invocation): Promise<undefined> {
  const rows = await withExistingDatabase(terminal, ({ query, now }) =>
    query
      .selectFrom('signing_keys')
      .select(['kid', 'created_at', 'retired_at', now.as('now')])
      .orderBy('created_at', 'desc')
      .execute(),
  )
  const keys = rows.map(({ kid, created_at, retired_at }) => ({
    kid,
    createdAt: new Date(created_at).toISOString(),
    retiredAt: retired_at === null ? null : new Date(retired_at).toISOString(),
  }))
  if (json) {
    terminal.printJson({ keys })
    return
  }
  const [newest, ...others] = rows
  // The only key signs at once.
  const isNew = newest && others.length > 0 && newest.now - newest.created_at < SIGNS_AFTER_MS
  const lines = keys.map(({ kid, createdAt, retiredAt }) => {
    const state = isNew ? 'signs new tokens from two minutes after its creation' : 'signs new tokens'
    return [kid, createdAt, retiredAt ? `retired ${retiredAt}, deleted 31 days later` : state]
  })
  for (const line of alignColumns([['KEY', 'CREATED', 'STATE'], ...lines])) terminal.print(line)
}
