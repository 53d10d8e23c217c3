// `npm run bench`: measures Portico beside others, in one run on one machine, and says which bars it meets.
//   --quick   about a minute, to see that everything works; the figures are worth little
//   --scale   with a million accounts against a thousand
//   --before <folder>   the refresh also beside that of another checkout, such as `git worktree add <folder> <commit>` makes one
//   --peers   beside PocketBase, better-auth, Keycloak, nginx and Caddy, each on one core with its database; words name peers
//   <words>   only the works whose names contain one of them
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { dropPageCache } from '../test/support/page-cache.ts'
import type { Bench, Work } from './bench.ts'
import { startPostgres } from './databases/postgres.ts'
import { installContenders } from './install.ts'
import { moveTo } from './measure/cores.ts'
import { machineTicks } from './measure/proc.ts'
import { showProgress } from './measure/progress.ts'
import type { Row } from './measure/rows.ts'
import { peerTableOf, tableOf } from './measure/table.ts'
import { PEER_WORKS } from './peers/peers.ts'
import { peerReport } from './peers/report.ts'
import { machine, report, stolenTime } from './report.ts'
import { asDeployedOn } from './works/as-deployed.ts'
import { betterAuth } from './works/better-auth.ts'
import { byHandOn } from './works/by-hand.ts'
import { content } from './works/content.ts'
import { logIn } from './works/log-in.ts'
import { metricsOn } from './works/metrics.ts'
import { passkeyLogInOn } from './works/passkey-log-in.ts'
import { readsBesideLogIns } from './works/reads-beside-log-ins.ts'
import { refreshOn } from './works/refresh.ts'
import { scaleOn } from './works/scale.ts'
import { start } from './works/start.ts'
import { workers } from './works/workers.ts'

const WORKS: Record<string, Work> = {
  'by-hand-sqlite': byHandOn('SQLite'),
  'by-hand-postgres': byHandOn('PostgreSQL'),
  'as-deployed-sqlite': asDeployedOn('SQLite'),
  'as-deployed-postgres': asDeployedOn('PostgreSQL'),
  'metrics-sqlite': metricsOn('SQLite'),
  'metrics-postgres': metricsOn('PostgreSQL'),
  'better-auth': betterAuth,
  'refresh-sqlite': refreshOn('SQLite'),
  'refresh-postgres': refreshOn('PostgreSQL'),
  'log-in': logIn,
  'passkey-sqlite': passkeyLogInOn('SQLite'),
  'passkey-postgres': passkeyLogInOn('PostgreSQL'),
  'reads-beside-log-ins': readsBesideLogIns,
  content,
  start,
  workers,
}
const SCALE_WORKS: Record<string, Work> = {
  'scale-sqlite': scaleOn('SQLite'),
  'scale-postgres': scaleOn('PostgreSQL'),
}

const QUICK_RUN = { rounds: 1, seconds: 2, warmUp: 0, many: 100_000 }
const FULL_RUN = { rounds: 5, seconds: 4, warmUp: 2, many: 1_000_000 }
const FULL_PEER_RUN = { ...FULL_RUN, rounds: 3, seconds: 3 }

const { values: flags, positionals: wanted } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    scale: { type: 'boolean' },
    peers: { type: 'boolean' },
    before: { type: 'string' },
  },
  allowPositionals: true,
})
const run = flags.peers
  ? { works: PEER_WORKS, whole: FULL_PEER_RUN, file: 'results-peers.md', report: peerReport, table: peerTableOf }
  : flags.scale
    ? { works: SCALE_WORKS, whole: FULL_RUN, file: 'results-scale.md', report, table: tableOf }
    : { works: WORKS, whole: FULL_RUN, file: 'results.md', report, table: tableOf }
const effort = flags.quick ? QUICK_RUN : run.whole
const installed = flags.peers ? undefined : installContenders()
const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'))
// Children are killed and folders removed when this process exits. A signal alone would end it without that.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
process.on('exit', () => {
  for (const path of [folder, `${folder}-postgres`]) rmSync(path, { recursive: true, force: true })
})

const progress = showProgress()
progress.step('starting PostgreSQL')
if (flags.peers) moveTo('server core')
const postgres = await startPostgres(folder)
if (flags.peers) moveTo('load cores')
const about = await machine({ betterAuth: installed, postgres: postgres.version })
const bench: Bench = { ...effort, folder, postgres, progress, before: flags.before && resolve(flags.before) }
const rows: Row[] = []
const ticksBefore = machineTicks()
for (const [name, work] of Object.entries(run.works)) {
  if (wanted.length === 0 || wanted.some((word) => name.includes(word))) await measure(work)
}
progress.done()
await postgres.stop()
about.push(...stolenTime(ticksBefore, machineTicks()))

const isWhole = !flags.quick && wanted.length === 0
if (isWhole) writeFileSync(join(import.meta.dirname, run.file), run.report(about, rows, effort))
process.stdout.write(`\n${about.join('\n')}\n\n${run.table(rows)}\n`)
const invalid = rows.filter(({ verdict }) => verdict === 'INVALID').length
if (invalid > 0) process.stderr.write(`\n${invalid} of these rows are INVALID: see what went wrong there.\n`)
process.exit(invalid > 0 ? 1 : 0)

/** A failure is printed as INVALID, and the other works continue. */
async function measure(work: Work): Promise<void> {
  try {
    await dropPageCache()
    for await (const row of work(bench)) rows.push(row)
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/[\s|]+/g, ' ').slice(0, 200)
    rows.push({
      work: progress.current,
      portico: '',
      against: reason,
      result: flags.peers ? 'INVALID' : '',
      bar: '',
      verdict: 'INVALID',
    })
    progress.found(`INVALID: ${reason}`)
  }
}
