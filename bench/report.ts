import { spawnSync } from 'node:child_process'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { dropPageCache } from '../test/support/page-cache.ts'
import { generatorName } from './load/load.ts'
import type { machineTicks } from './measure/proc.ts'
import type { Row } from './measure/rows.ts'
import { tableOf } from './measure/table.ts'

const OBSERVATION_MS = 2000
const MAX_SHARE_OF_OTHERS = 0.1

/** The machine and the programs of the measurement. Called before there is load. */
export async function machine(versions: { betterAuth: string | undefined; postgres: string }): Promise<string[]> {
  const [core] = cpus()
  return [
    `${cpus().length} cores (${core?.model.trim() || arch()}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()}`,
    ...(await warnOfOthers()),
    `Node ${process.versions.node}, SQLite ${process.versions.sqlite}, PostgreSQL ${versions.postgres}` +
      `${versions.betterAuth ? `, better-auth ${versions.betterAuth}` : ''}; load from ${generatorName}; commit ${commitOf(import.meta.dirname)}`,
    (await dropPageCache())
      ? 'the page cache of the system is dropped before each measurement'
      : 'the page cache of the system is NOT DROPPED, which takes root on Linux: figures vary more',
  ]
}

type Ticks = ReturnType<typeof machineTicks>

/** Tells how much of the run the cores were taken away by the host. */
export function stolenTime(before: Ticks, after: Ticks): string[] {
  if (!before || !after) return []
  const share = (after.stolen - before.stolen) / (after.all - before.all)
  return [`the host gave ${(share * 100).toFixed(1)} % of the CPU time of the run to other virtual machines (steal)`]
}

/** The commit of a checkout. */
export function commitOf(folder: string): string {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], { cwd: folder, encoding: 'utf8' })
  return stdout?.trim() || 'unknown'
}

/**
 * Warns if other programs use the machine at this time. The load average would also count programs that ended within
 * the last minutes, such as an earlier benchmark.
 */
async function warnOfOthers(): Promise<string[]> {
  const before = coreTimes()
  await setTimeout(OBSERVATION_MS)
  const after = coreTimes()
  const share = (after.busyMs - before.busyMs) / (after.allMs - before.allMs)
  if (share < MAX_SHARE_OF_OTHERS) return []
  const percent = Math.round(share * 100)
  return [
    `NOT ALONE on this machine (${percent} % of its cores in use before the run): only the CPU figures mean something`,
  ]
}

/** The time since the start of the machine that its cores were in use, and all their time, in milliseconds. */
function coreTimes(): { busyMs: number; allMs: number } {
  const times = cpus().map(({ times }) => times)
  const allMs = times.flatMap((each) => Object.values(each)).reduce((sum, ms) => sum + ms, 0)
  return { busyMs: allMs - times.reduce((sum, { idle }) => sum + idle, 0), allMs }
}

export function report(about: string[], rows: Row[], how: { rounds: number; seconds: number }): string {
  return `# Measured

${about.map((line) => `- ${line}`).join('\n')}

${tableOf(rows)}

How to read it:

- ${how.rounds * how.seconds} s of load for each contender, in turns, after a warm-up: reads in turns of a second, the others in turns of ${how.seconds} s. Figures
  are medians of the turns; a ratio is the median of the ratios of each pair of turns, so it may differ a little from that of
  the figures. In parentheses is the range that contains the ratio with a confidence of about 95 %.
- ~ The bar is within this range, so the verdict of another run may differ.
- What the public reads, and user-details as deployed, has ${how.rounds} processes of each contender, and a page as deployed three times
  as many, with one figure for each: one program differs from one start to the next, by up to twenty percent when it reads
  many accounts.
- The metrics are measured side by side: six times as many processes of each contender, on one core, with load on both at the same
  time. So both have the same speed of the machine at every moment, and the ratio is that of their CPU time. Their rates are
  those of half a core.
- The load comes from another process over 32 connections, for many accounts in turn. One response that is not 2xx makes a row
  INVALID. "CPU" is processor time of the server for a response.
- * One of the two servers used less than 0.9 of a core: the limit was the load generator, the database, or somebody else on
  the machine.
- "As deployed" is Portico with rate limits and the request log on, against the same without both. The log goes to a pipe that
  tail(1) reads. One session makes at most 100 calls a minute by default, so two loads are measured: 32
  sessions with a raised limit, which all meet few counters, and 12,000 sessions at the default limit. Pages have no rate limit.
- All others in production mode, rate limits off and no log line for each request on either side. better-auth has its cookie cache
  off, since Portico asks the database on every request too, and the same hash for passwords (argon2id, 19 MiB, 2 passes).
- "By hand" is a node:http server without a framework that checks the same token, runs one statement for each request and
  sends the same JSON; bare node:http sends as many bytes as Portico does (brotli), and nothing else.

Made by \`npm run bench\`.
`
}
