import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { output } from '../measure/output.ts'
import { bytesOf } from './connection.ts'
import type { Job } from './job.ts'
import type { Outcome } from './tally.ts'

/** The version that wrk prints. Undefined where it is not installed. */
export const wrkVersion = /^(wrk \S+)/.exec(spawnSync('wrk', ['-v'], { encoding: 'utf8' }).stdout ?? '')?.[1]

// For the responses to the last requests.
const LAST_RESPONSES_LIMIT_MS = 60_000

/**
 * wrk uses about half the processor time of our own generator, and leaves that much more of the machine to the server.
 */
export async function runWrk({ url, connections, seconds, requests }: Job): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-wrk-'))
  const script = join(folder, 'requests.lua')
  writeFileSync(script, scriptFor(requests.map((request) => bytesOf(request, new URL(url).host).toString('latin1'))))
  try {
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script]
    const printed = await output('wrk', [...options, url], { limitMs: seconds * 1000 + LAST_RESPONSES_LIMIT_MS })
    return JSON.parse(printed.slice(printed.lastIndexOf('{"responses"')))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// JSON and Lua write plain ASCII strings alike.
const scriptFor = (requests: string[]) => `
local requests = { ${requests.map((request) => JSON.stringify(request)).join(', ')} }
local sent = 0
request = function()
  sent = sent + 1
  return requests[sent % #requests + 1]
end
done = function(summary, latency)
  local e = summary.errors
  local bad = e.status + e.connect + e.read + e.write + e.timeout
  local kinds = string.format('%d by status, %d connect, %d read, %d write, %d timeout', e.status, e.connect, e.read, e.write, e.timeout)
  io.write(string.format('{"responses":%d,"seconds":%f,"p99":%f,"bad":%d,"firstBad":"%s"}',
    summary.requests, summary.duration / 1e6, latency:percentile(99) / 1e3, bad, kinds))
end
`
