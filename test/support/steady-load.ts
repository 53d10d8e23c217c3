import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Person } from './api.ts'

export interface LoadResult {
  requests: number
  writes: number
  /** How many requests had no 200 response, by reason. */
  failures: Record<string, number>
}

/** Each person sends reads and writes over a kept connection, one after the other, until the load is stopped. */
export function startLoad(url: string, people: Person[]): { result: LoadResult; stop(): Promise<LoadResult> } {
  const result: LoadResult = { requests: 0, writes: 0, failures: {} }
  const agent = new Agent({ keepAlive: true, maxSockets: people.length })
  let isOver = false
  const fail = (reason: string) => {
    result.failures[reason] = (result.failures[reason] ?? 0) + 1
  }
  const clients = people.map(async (person, client) => {
    for (let number = client; !isOver; number++) {
      const [method, path, body] = REQUESTS[number % REQUESTS.length] as (typeof REQUESTS)[number]
      try {
        const status = await send(agent, `${url}${path}`, method, person, body)
        if (status !== 200) fail(`${method} ${path}: ${status}`)
        else if (method === 'POST') result.writes += 1
      } catch (error) {
        fail(`${method} ${path}: ${(error as Error).message}`)
      }
      result.requests += 1
    }
  })
  return {
    result,
    async stop() {
      isOver = true
      await Promise.all(clients)
      agent.destroy()
      return result
    },
  }
}

const REQUESTS: [method: string, path: string, body?: string][] = [
  ['GET', '/api/user-details'],
  ['POST', '/api/user-details', JSON.stringify({ bio: 'still here' })],
  ['GET', '/feed.xml'],
  ['POST', '/api/user-details', JSON.stringify({ location: { city: 'London' } })],
  ['GET', '/healthz'],
]

function send(agent: Agent, url: string, method: string, { accessToken, sessionId }: Person, body?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = {
    authorization: `Bearer ${accessToken}`,
    'x-session-id': sessionId,
    ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  const call = request(url, { agent, method, headers }, (response: IncomingMessage) =>
    buffer(response).then(() => resolve(response.statusCode ?? 0), reject),
  )
  call.on('error', reject).end(body)
  return promise
}
