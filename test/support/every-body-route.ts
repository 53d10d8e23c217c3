import assert from 'node:assert/strict'
import { before } from 'node:test'
import { type CallOptions, call, type Person } from './api.ts'
import { someone } from './crowd.ts'
import { routesWithBody } from './described-routes.ts'
import type { Service } from './service.ts'

export type BodyRoute = Awaited<ReturnType<typeof routesWithBody>>[number]

/** Somebody, every route that takes a body, and a way to send one as them. */
export function withEveryBodyRoute(service: Service) {
  const parts = {} as { person: Person; routes: BodyRoute[] }
  before(async () => {
    parts.person = await someone(service)
    parts.routes = await routesWithBody(service)
    assert.ok(parts.routes.length >= 13)
  })
  return Object.assign(parts, {
    send: ({ method, path }: BodyRoute, body: unknown, options: CallOptions = {}) =>
      call(service, method, path, body, { as: parts.person, ...options }),
  })
}
