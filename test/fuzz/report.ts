import { inMegabytes } from '../support/measuring.ts'
import type { Run } from './run.ts'

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

const number = (value: number) => Math.round(value).toLocaleString('en')
let shown = 0

/** One line that is updated on a terminal, and a line now and then without a terminal. */
export function showProgress(run: Run, of: number): void {
  const done = run.requests + run.raw
  const memory = run.memory.at(-1)?.memory
  const line = `  ${number(done)} of ${number(of)} · ${number(done / run.seconds)} a second${memory ? ` · holds ${inMegabytes(memory.liveBytes)} MB` : ''}`
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}${done >= of ? '\n' : ''}`)
  else if (Date.now() - shown > 10_000 || done >= of) {
    shown = Date.now()
    print(line)
  }
}

export function describeRun(run: Run): string {
  const statuses = [...run.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${number(count)}`)
  const memory = run.memory.map(({ memory: { liveBytes, rss } }) => `${inMegabytes(liveBytes)}/${inMegabytes(rss)}`)
  const lines = [
    `  responses ${statuses.join(', ')}`,
    `  requests  ${number(run.requests)} and ${number(run.raw)} of raw bytes in ${number(run.seconds)} s`,
    `  reached   ${run.succeeded.size} addresses with success`,
    `  memory    ${memory.join(' → ')} MB held/resident, from warm to the end`,
    run.faults.length === 0 ? '  sound: every response was correct' : '',
  ]
  for (const { what, line, response } of run.faults) {
    lines.push('', `  FAULT     ${what}`)
    if (line === undefined) continue
    lines.push('', line, '', excerpt(response ?? ''), '', HOW_TO)
  }
  return lines.filter((line, at) => line !== '' || at > 4).join('\n')
}

const HOW_TO =
  '  The line is for bash: API is the address of the service, the other names are those of the walk in the README.'

function excerpt(response: string): string {
  const lines = response.replaceAll('\r', '').slice(0, 2000).split('\n')
  return lines
    .map((line) => `    ${line}`)
    .join('\n')
    .trimEnd()
}
