import { Agent } from 'node:http'
import fc from 'fast-check'
import { PASSWORD } from '../support/api.ts'
import type { Memory } from '../support/measuring.ts'
import type { EngineName } from '../support/service.ts'
import { curlOf, rawCurlOf, tryLine } from './curl.ts'
import { rawBytes, sendRaw } from './raw.ts'
import { showProgress } from './report.ts'
import { anyRequest, type FuzzRequest } from './requests.ts'
import { type ClientOptions, CONCURRENCY, send } from './send.ts'
import { faultOf, rawFaultOf } from './sound.ts'
import { startTarget, type Target } from './target.ts'

export interface Run {
  /** The number of responses of each status, and of each operation. */
  statuses: Map<number, number>
  succeeded: Map<string, number>
  requests: number
  raw: number
  seconds: number
  memory: { requests: number; memory: Memory }[]
  faults: Fault[]
}

export interface Fault {
  what: string
  /** A shell command that repeats the failure, and its output. */
  line?: string
  response?: string
}

const SHRINKING_LIMIT_MS = 180_000
// Memory is compared from here on: earlier growth is of one-time loading and of caches.
const WARM_UP_SHARE = 0.2
// Less than a hundred bytes a request: the smallest leak would be larger.
const MAX_LIVE_BYTES_PER_REQUEST = 100
const MAX_RSS_GROWTH_BYTES = 96 * 2 ** 20

export async function fuzz(engine: EngineName, requests: number, seed: number): Promise<Run> {
  const target = await startTarget(engine)
  const run: Run = {
    statuses: new Map(),
    succeeded: new Map(),
    requests: 0,
    raw: 0,
    seconds: 0,
    memory: [],
    faults: [],
  }
  const requestsAsDescribed = described(target, run)
  const requestsOfBytes = raw(target, run)
  const began = performance.now()
  try {
    for (let round = 0; run.requests + run.raw < requests && run.faults.length === 0; round++) {
      await checkProperty(target, run, requestsAsDescribed, seed + round)
      await checkProperty(target, run, requestsOfBytes, seed + round)
      run.seconds = (performance.now() - began) / 1000
      if (run.requests + run.raw >= requests * (WARM_UP_SHARE + run.memory.length * 0.1)) await noteMemory(target, run)
      const [errorLine] = target.errorLines()
      if (errorLine && run.faults.length === 0) run.faults.push({ what: `it logged an error: ${errorLine}` })
      showProgress(run, requests)
    }
    if (run.faults.length === 0) await flood(target, run)
    if (run.faults.length === 0) await noteMemory(target, run)
    run.faults.push(...growthOf(run))
  } finally {
    await target.close()
  }
  return run
}

/** A request that must get a correct response, its frequency in a round, and its shell command. */
interface Property<T> {
  arbitrary: fc.Arbitrary<T>
  send(one: T): Promise<void>
  lanes: number
  runs: number
  lineOf(one: T): string
}

/**
 * Tries a property in many lanes concurrently. A failing request is sent again alone. When it fails again, it is shrunk
 * to the smallest request that still fails, while the other lanes pause.
 */
async function checkProperty<T>(target: Target, run: Run, property: Property<T>, seed: number): Promise<void> {
  let failed: number | undefined
  let onlyInCompany: Fault | undefined
  let inquiry = Promise.resolve(false)

  const lanes = Array.from({ length: property.lanes }, async (_, lane) => {
    const holds = fc.asyncProperty(property.arbitrary, async (one) => {
      if (failed !== undefined && failed !== lane) return
      try {
        await (failed === lane ? target.prepareAnew() : target.prepare())
        await property.send(one)
        target.assertUp()
      } catch (error) {
        // Only the lane that shrinks is left, or this one may become it. A crash fails many requests, of which one has
        // caused it.
        if (failed !== lane) inquiry = inquiry.then(() => failed === undefined && failsAlone(one))
        if (failed === lane || (await inquiry)) {
          failed = lane
          throw error
        }
        onlyInCompany ??= { what: `${messageOf(error)} (only in the company of others)`, line: property.lineOf(one) }
      }
    })
    const outcome = await fc.check(holds, {
      seed: seed * property.lanes + lane,
      numRuns: property.runs,
      interruptAfterTimeLimit: SHRINKING_LIMIT_MS,
    })
    if (!outcome.failed || !outcome.counterexample) return
    await target.prepareAnew()
    run.faults.push(await explain(target, outcome.errorInstance, property.lineOf(outcome.counterexample[0])))
  })
  await Promise.all(lanes)
  if (onlyInCompany && run.faults.length === 0) run.faults.push(onlyInCompany)

  async function failsAlone(one: T): Promise<boolean> {
    await target.prepareAnew()
    try {
      await property.send(one)
      target.assertUp()
      return false
    } catch {
      return true
    }
  }
}

function described(target: Target, run: Run): Property<FuzzRequest> {
  const { descriptions, pages } = target
  const arbitrary = anyRequest([...descriptions.api.operations, ...descriptions.content.operations], pages)
  return { arbitrary, send: (one) => sendSound(target, run, one), lanes: CONCURRENCY, runs: 40, lineOf: curlOf }
}

function raw(target: Target, run: Run): Property<string> {
  const paths = ['/', '/healthz', ...target.descriptions.api.operations.map(({ path }) => path)]
  const sendOne = (bytes: string) => sendRawSound(target, run, bytes)
  return { arbitrary: rawBytes(paths), send: sendOne, lanes: CONCURRENCY, runs: 1, lineOf: rawCurlOf }
}

/** Sends one request, counts its response, and fails when the response is wrong. */
async function sendSound(target: Target, run: Run, request: FuzzRequest, line?: ClientOptions): Promise<void> {
  const { url, people, descriptions } = target
  run.requests += 1
  const response = await send(url, request, people, line)
  const { status } = response
  count(run.statuses, status)
  const [path] = request.path.split('?')
  if (status < 400) count(run.succeeded, `${request.method} ${path}`)
  const mayEnd = /logout|delete-user|-password|sessions|refresh/.test(request.path)
  if (status === 401 || (mayEnd && status === 200)) people.markUncertain(JSON.stringify(request))
  const fault = faultOf(descriptions, request, response)
  if (fault) throw new Error(`${request.method} ${path} ${fault}: ${String(response.body).slice(0, 300)}`)
}

async function sendRawSound(target: Target, run: Run, bytes: string): Promise<void> {
  run.raw += 1
  for (const response of await sendRaw(target.url, bytes)) {
    count(run.statuses, response.status)
    const fault = rawFaultOf(target.descriptions, response)
    if (fault) throw new Error(`${JSON.stringify(bytes.slice(0, 60))} ${fault}: ${String(response.body).slice(0, 300)}`)
  }
}

/** More concurrent log-ins than the hash queue has places: each is checked, or gets a 503 with Retry-After. */
async function flood(target: Target, run: Run): Promise<void> {
  const line = { agent: new Agent({ keepAlive: true }), seconds: 300 }
  const request = {
    method: 'POST',
    path: '/api/log-in',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'nobody@example.com', password: PASSWORD }),
  }
  await target.prepare()
  const before = run.statuses.get(503) ?? 0
  const outcomes = await Promise.allSettled(Array.from({ length: 400 }, () => sendSound(target, run, request, line)))
  line.agent.destroy()
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') run.faults.push(await explain(target, failed.reason, curlOf(request)))
  else if (run.statuses.get(503) === before) run.faults.push({ what: '400 log-ins at once, and none was put off' })
}

async function explain(target: Target, error: unknown, line: string): Promise<Fault> {
  return { what: messageOf(error), line, response: await tryLine(line, target.url, target.people) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function noteMemory(target: Target, run: Run): Promise<void> {
  run.memory.push({ requests: run.requests + run.raw, memory: await target.memory() })
}

/** Compares the live memory of the service at the end with that after the warm-up. */
function growthOf({ memory }: Run): Fault[] {
  const [warm, last] = [memory[0], memory.at(-1)]
  if (!warm || !last) return []
  const growth = last.memory.liveBytes - warm.memory.liveBytes
  const rss = last.memory.rss - warm.memory.rss
  const most = Math.max(8 * 2 ** 20, MAX_LIVE_BYTES_PER_REQUEST * (last.requests - warm.requests))
  return [
    ...(growth > most ? [{ what: `it holds ${growth} bytes more than when it was warm` }] : []),
    ...(rss > MAX_RSS_GROWTH_BYTES ? [{ what: `it has grown by ${rss} bytes since it was warm` }] : []),
  ]
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
