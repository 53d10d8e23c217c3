import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LIMIT_NAMES, limitSetting } from '../../src/config/limit-kinds.ts'
import type { Bench } from '../bench.ts'
import { AS_DEPLOYED, startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type EngineName } from '../databases/database.ts'
import { logIn, REFRESH } from '../databases/people.ts'
import type { Server } from '../measure/server.ts'
import { newestPost } from '../works/content.ts'
import { ACCOUNTS } from './accounts.ts'
import { ask } from './ask.ts'
import type { Page, Subject } from './peer.ts'

// Rate limits are counted, sent in headers and enforced as in production. Only the numbers are higher than the load.
const RAISED = Object.fromEntries(LIMIT_NAMES.map((name) => [limitSetting(name), '100000000/1h']))

export const PORTICO_SETTINGS = `NODE_ENV=production, one process. Rate limits are on, with every limit raised to 100,000,000 an hour so that the
  load passes. LOG_LEVEL=info (the default): one line for each request, written to a file. SQLite with synchronous=full, or the
  embedded PostgreSQL of the benchmark with its default settings.`

export async function preparePortico(bench: Bench, engine: EngineName): Promise<Subject & { page: PorticoPage }> {
  const database = await createDatabase(bench, engine, ACCOUNTS)
  const settings = { ...RAISED, ...AS_DEPLOYED }
  const log = join(bench.folder, `portico-${engine}.log`)
  const start = () => startPortico(database, settings, { log, onServerCore: true })
  await using server = await start()
  return {
    start,
    accounts: {
      logIn,
      hash: 'argon2id, 19 MiB, 2 passes',
      async read(response) {
        const { data } = (await response.json()) as { data: { accessToken: string; session: { sessionId: string } } }
        const headers = { authorization: `Bearer ${data.accessToken}`, 'x-session-id': data.session.sessionId }
        return { path: '/api/user-details', headers }
      },
      refresh: REFRESH,
    },
    page: await pageOf(server),
  }
}

interface PorticoPage extends Page {
  path: string
  headers: Record<string, string>
}

async function pageOf({ url }: Server): Promise<PorticoPage> {
  const path = await newestPost(url)
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip' }
  return { path, headers, html: await highlighted(() => ask(url, { path, headers })) }
}

const UNCHANGED_MS = 3000

/** Portico serves a page before its code blocks are highlighted, and again when they are. */
async function highlighted(get: () => Promise<Response>): Promise<string> {
  let html = ''
  for (let next = await (await get()).text(); next !== html; next = await (await get()).text()) {
    html = next
    await setTimeout(UNCHANGED_MS)
  }
  return html
}
