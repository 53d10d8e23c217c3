import { rotateSigningKeys } from '../sessions/rotate-keys.ts'
import type { Invocation } from './command.ts'
import { withDatabase, withExistingDatabase } from './open.ts'
import { alignColumns } from './terminal.ts'

export async function rotateKeys({ json, terminal }: Invocation): Promise<undefined> {
  const { kid } = await withDatabase(terminal, rotateSigningKeys)
  if (json) terminal.printJson({ kid })
  else terminal.print(`Within two minutes, new tokens will be signed with key ${kid}`)
}

export async function listKeys({ json, terminal }: Invocation): Promise<undefined> {
  const rows = await withExistingDatabase(terminal, ({ query }) =>
    query
      .selectFrom('signing_keys')
      .select(['kid', 'created_at', 'retired_at'])
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
  const lines = keys.map(({ kid, createdAt, retiredAt }) => [
    kid,
    createdAt,
    retiredAt ? `retired ${retiredAt}, deleted 31 days later` : 'signs new tokens',
  ])
  for (const line of alignColumns([['KEY', 'CREATED', 'STATE'], ...lines])) terminal.print(line)
}
