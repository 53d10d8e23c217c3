// A process of its own that sends the same requests repeatedly, and reports the number and the latency of the
// responses.
import { setTimeout } from 'node:timers/promises'
import { bytesOf, Connection } from './connection.ts'
import { readJob } from './job.ts'
import { Tally } from './tally.ts'

const { url, connections, seconds, requests, perSecond } = await readJob()
const bytes = requests.map((request) => bytesOf(request, new URL(url).host))
const opened = await Promise.all(Array.from({ length: connections }, () => Connection.open(url)))
const tally = new Tally(seconds)
const send = perSecond ? sendOnTime(perSecond) : sendWithoutPause
await Promise.all(
  opened.map((connection, place) => send(connection, place).catch((error) => tally.fail(String(error)))),
)
for (const connection of opened) connection.close()
tally.report()

async function sendWithoutPause(connection: Connection, place: number) {
  // The connections share the requests, so that each request is sent equally often.
  for (let next = place; !tally.isOver; next += connections) {
    const since = performance.now()
    tally.count(since, await connection.send(requestAt(next)))
  }
}

/**
 * A late response delays the next request, but not the scheduled time that its latency is measured from (no coordinated
 * omission).
 */
function sendOnTime(perSecond: number) {
  const began = performance.now()
  return async (connection: Connection, place: number) => {
    for (let next = place; ; next += connections) {
      const due = began + (next / perSecond) * 1000
      if (due >= tally.until) return
      const early = due - performance.now()
      if (early > 0) await setTimeout(early)
      // When our own timer was late, the delay is not counted as latency.
      const since = early > 0 ? performance.now() : due
      tally.count(since, await connection.send(requestAt(next)))
    }
  }
}

function requestAt(number: number): Buffer {
  return bytes[number % bytes.length] as Buffer
}
