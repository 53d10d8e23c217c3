import type { Config } from '../config/config.ts'
import { mount, ownerGuard, type RequestChecks } from '../http/mount.ts'
import { describeApi } from '../http/openapi.ts'
import type { OperationRoute } from '../http/operation.ts'
import type { Routes } from '../http/routes.ts'

const INFO = {
  title: 'Owner API',
  version: '1.0.0',
  description:
    'The owner’s desk. Envelope, credentials and errors are those of the Account API. To everybody but the owners of the ' +
    'site, every path responds as if it did not exist.',
}

/** Serves the operations of the owner's desk and their description, to owners only. */
export function serveOwnerApi(
  app: Routes,
  routes: OperationRoute[],
  { config }: { config: Config },
  checks: RequestChecks,
): void {
  mount(app, routes, checks)
  let description: string | undefined
  app.route({
    method: 'GET',
    path: '/api/owner/openapi.json',
    isHidden: true,
    guard: ownerGuard(checks),
    handle(_request, reply) {
      description ??= JSON.stringify(describeApi(routes, INFO, config))
      return reply.type('application/json; charset=utf-8').send(description)
    },
  })
}
