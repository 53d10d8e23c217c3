import { readableSize } from '../lib/disk-space.ts'
import { printable } from '../lib/printable.ts'
import { readHealth } from '../owner/read-health.ts'
import type { Invocation } from './command.ts'
import { withOwnerDesk } from './owner-desk.ts'
import { alignColumns, type Terminal } from './terminal.ts'

type Health = Awaited<ReturnType<ReturnType<typeof readHealth>['run']>>['data'] & {}

const BARS = [...' ▁▂▃▄▅▆▇█']

export async function run({ json, terminal }: Invocation): Promise<undefined> {
  const health = await withOwnerDesk(terminal, ({ parts, run }) => run(readHealth(parts)))
  if (json) {
    terminal.printJson(health)
    return
  }
  for (const { message } of health.attention) terminal.print(`${terminal.paint('yellow', '!')} ${message}`)
  if (health.attention.length === 0) terminal.print(`${terminal.paint('green', '✓')} Nothing needs attention.`)
  terminal.print()
  for (const line of alignColumns(figuresOf(health))) terminal.print(line)
  printInstances(health, terminal)
}

function figuresOf(health: Health): string[][] {
  const { mails, requests, hashQueue, migrations, diskFreeBytes, days } = health
  return [
    ['version', `Portico ${health.version}, Node ${health.node}`],
    ['database', `${health.engine} ${health.engineVersion}, ${readableSize(health.databaseBytes)}`],
    ['migrations', `${migrations.applied}, the last ${migrations.latest}`],
    ['disk left', diskFreeBytes === null ? 'unknown' : readableSize(diskFreeBytes)],
    ['mails', `${mails.waiting} waiting, ${mails.failed} failed`],
    ['responses', `${requests.lastHour} in the last hour, ${requests.errors} errors`],
    ['hash queue', `${hashQueue.length} waiting, of ${hashQueue.capacity} that may wait`],
    ['pending', `${health.pending.invitations} open invitations, ${health.pending.unverifiedPeople} unverified people`],
    ['sign-ups', seriesOf(days.map(({ signUps }) => signUps))],
    ['log-ins', seriesOf(days.map(({ logIns }) => logIns))],
  ]
}

/** Such as "▁▃█  41 in 30 days, 3 today". */
function seriesOf(counts: number[]): string {
  const largest = Math.max(1, ...counts)
  const bars = counts.map((count) => BARS[Math.ceil((count / largest) * (BARS.length - 1))]).join('')
  const total = counts.reduce((sum, count) => sum + count, 0)
  return `${bars}  ${total} in ${counts.length} days, ${counts.at(-1)} today`
}

function printInstances({ instances }: Health, terminal: Terminal): void {
  if (instances.length === 0) return
  terminal.print()
  const rows = instances.map(({ host, version, startedAt, seenAt, requests, errors }) => [
    printable(host),
    version,
    startedAt,
    seenAt,
    String(requests),
    String(errors),
  ])
  const header = ['PROCESS ON', 'VERSION', 'STARTED', 'SEEN', 'RESPONSES', 'ERRORS']
  for (const line of alignColumns([header, ...rows])) terminal.print(line)
}
