import { CONNECTIONS } from '../bench.ts'
import { logIn, REFRESH, type RequestHeaders } from '../databases/people.ts'
import { load, refresh } from '../load/load.ts'
import type { Server } from '../measure/server.ts'

/** Reads the same URL for many clients in turn. */
export const read = (server: Server, path: string, callers: RequestHeaders[]) => (seconds: number) =>
  load(server, { connections: CONNECTIONS, seconds, requests: callers.map((headers) => ({ path, headers })) })

export const logInAsEach = (server: Server, people: string[]) => (seconds: number) =>
  load(server, { connections: CONNECTIONS, seconds, requests: people.map(logIn) })

export const refreshAsEach = (server: Server, people: string[]) => (seconds: number) =>
  refresh(server, { connections: CONNECTIONS, seconds, requests: people.map(logIn), refresh: REFRESH })
