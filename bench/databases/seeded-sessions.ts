import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/logging/log.ts'
import { assemble } from '../../src/portico.ts'
import { settingsFor } from '../contenders/start-portico.ts'
import type { Database } from './database.ts'
import type { RequestHeaders } from './people.ts'

/**
 * The headers for the requests of every seeded session. Logging in that often would take minutes of password hashes.
 */
export async function seededSessions(database: Database): Promise<RequestHeaders[]> {
  const config = readConfig({ NODE_ENV: 'production', ...settingsFor(database) })
  const portico = await assemble(config, createLog({ logFormat: 'json', logLevel: 'silent' }))
  try {
    const rows = await portico.database.query.selectFrom('sessions').select(['id', 'user_id']).execute()
    return rows.map(({ id, user_id }) => ({
      authorization: `Bearer ${portico.tokens.issueAccess({ userId: user_id, sessionId: id, authenticatedAt: Date.now(), methods: ['pwd'], role: 'member' })}`,
      'x-session-id': id,
    }))
  } finally {
    await portico.close()
  }
}
