import { setTimeout } from 'node:timers/promises'
import type { Request } from '../load/connection.ts'
import { load, refresh } from '../load/load.ts'
import { tokensIn, withTokens } from '../load/refresh-tokens.ts'
import { residentMemoryOfAll } from '../measure/proc.ts'
import type { Measure } from '../measure/rounds.ts'
import type { Server } from '../measure/server.ts'
import { CALLERS, callers } from './accounts.ts'
import { ask } from './ask.ts'
import type { AccountApi, Page, Subject } from './peer.ts'

const IDLE_SECONDS = 3
const FIRST_RESPONSE_LIMIT_MS = 60_000
const PAUSE_MS = 10

// Every function here first checks that a response has the right content. Under load only the status of responses is
// checked.

export async function reads(server: Server, api: AccountApi): Promise<Measure> {
  const requests: Request[] = []
  for (const email of callers('readers')) requests.push(await readOf(server, api, email))
  return (seconds) => load(server, { connections: CALLERS, seconds, requests })
}

async function readOf(server: Server, api: AccountApi, email: string): Promise<Request> {
  const request = await api.read(await ask(server.url, api.logIn(email, server)))
  const body = await (await ask(server.url, request)).text()
  if (!body.includes(email))
    throw new Error(`${request.path} does not contain the e-mail address: ${body.slice(0, 200)}`)
  return request
}

export async function logIns(server: Server, api: AccountApi): Promise<Measure> {
  const people = callers('writers')
  await readOf(server, api, people[0] ?? '')
  const requests = people.map((email) => api.logIn(email, server))
  return (seconds) => load(server, { connections: CALLERS, seconds, requests })
}

export async function refreshes(server: Server, api: AccountApi): Promise<Measure | undefined> {
  const how = api.refresh
  if (!how) return undefined
  const requests = callers('writers').map((email) => api.logIn(email, server))
  const [first] = requests as [Request]
  const old = tokensIn(await (await ask(server.url, first)).text(), how.tokens)
  // Tokens without an id of their own differ by the second in which they were issued.
  await setTimeout(1100)
  const response = await (await ask(server.url, withTokens(how.request, old))).text()
  const isNew = Object.entries(tokensIn(response, how.tokens)).some(([name, token]) => token !== old[name])
  if (!isNew) throw new Error(`${how.request.path} gave no new token: ${response.slice(0, 200)}`)
  return (seconds) => refresh(server, { connections: CALLERS, seconds, requests, refresh: how })
}

export async function pages(server: Server, request: Request, { html }: Page): Promise<Measure> {
  const response = await ask(server.url, request)
  if (response.headers.get('content-encoding') !== 'gzip') throw new Error(`${request.path} is not compressed`)
  if (titleOf(await response.text()) !== titleOf(html)) throw new Error(`${request.path} is another page`)
  return (seconds) => load(server, { connections: CALLERS, seconds, requests: [request] })
}

const titleOf = (html: string) => /<title>[^<]+<\/title>/.exec(html)?.[0] ?? 'no title'

/** The request of the first response: the page, or the profile of a user who logged in before. */
export async function firstRequest({ start, accounts, page }: Subject): Promise<Request> {
  if (!accounts) return page as Request
  await using server = await start()
  return await readOf(server, accounts, callers('readers')[0] ?? '')
}

/** Milliseconds from the start of the process to its first correct response, and MiB in the idle time after it. */
export async function startOnce({ start }: Subject, request: Request): Promise<{ first: number; memory: number }> {
  const began = performance.now()
  await using server = await start()
  await firstResponse(server, request, began + FIRST_RESPONSE_LIMIT_MS)
  const first = performance.now() - began
  await setTimeout(IDLE_SECONDS * 1000)
  return { first, memory: await residentMemoryOfAll(server.pid) }
}

async function firstResponse({ url }: Server, request: Request, deadline: number): Promise<void> {
  for (;;) {
    try {
      await ask(url, request)
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await setTimeout(PAUSE_MS)
  }
}
