import assert from 'node:assert/strict'
import { once } from 'node:events'
import { openSync, readSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

const REQUEST_INTERVAL_MS = 10

export interface MeasuredRequest {
  path: string
  ms: number
  afterSeconds: number
  /** The host of a virtual machine took its cores away during the request. */
  isDisturbed: boolean
}

interface Load {
  url: string
  /** Requested one after another, from the first again after the last. */
  paths: string[]
  durationMs: number
}

/**
 * The client is a thread with a heap of its own, which is collected within a few milliseconds. The garbage collector of
 * the test process stops that process for up to 50 ms, which would be counted as time of the service.
 */
export async function measureRequests(load: Load): Promise<MeasuredRequest[]> {
  const client = new Worker(new URL(import.meta.url), {
    workerData: load,
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
  // A thread that ends soon after its message emits both events in the same turn of the event loop.
  const [[measured]] = await Promise.all([once(client, 'message'), once(client, 'exit')])
  return measured
}

const agent = new Agent({ keepAlive: true })
const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' }

/** The body is not kept: `fetch` would have its process collect garbage every two seconds. */
export async function timedGet(url: string): Promise<{ status: number; ms: number }> {
  const since = performance.now()
  const [response] = (await once(get(url, { agent, headers }), 'response')) as [IncomingMessage]
  await once(response.resume(), 'end')
  return { status: response.statusCode ?? 0, ms: performance.now() - since }
}

/** Reads the time that the host of a virtual machine took from its cores: "steal" of proc_stat(5), in 10 ms. */
function stolenTimeReader(): () => number {
  const file = openSync('/proc/stat', 'r')
  const bytes = Buffer.alloc(256)
  return () => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)).split(/\s+/, 9)[8])
}

async function requestAll({ url, paths, durationMs }: Load): Promise<MeasuredRequest[]> {
  const measured: MeasuredRequest[] = []
  const stolenTime = stolenTimeReader()
  const since = performance.now()
  while (performance.now() < since + durationMs) {
    const stolen = stolenTime()
    const path = paths[measured.length % paths.length] ?? '/'
    const afterSeconds = (performance.now() - since) / 1000
    const { status, ms } = await timedGet(url + path)
    assert.equal(status, 200, path)
    measured.push({ path, ms, afterSeconds, isDisturbed: stolenTime() > stolen })
    await setTimeout(REQUEST_INTERVAL_MS)
  }
  agent.destroy()
  return measured
}

if (!isMainThread) parentPort?.postMessage(await requestAll(workerData))
