import type { Log } from '../logging/log.ts'
import { failure } from './envelope.ts'
import { isPublic } from './forwarded.ts'
import type { HttpServer } from './server.ts'

const MESSAGE =
  'NODE_ENV is not set, and a proxy forwarded this request for a public site (https, or a host that is not this machine): ' +
  'set NODE_ENV=production, or NODE_ENV=development on a machine that strangers cannot reach'

/** Development is the default for a person's own machine: what a proxy forwards from a public address is not served. */
export function refusePublicRequests(app: HttpServer, log: Log): void {
  let isLogged = false
  app.addHook((request, reply) => {
    if (!isPublic(request)) return
    if (!isLogged) log.error(MESSAGE)
    isLogged = true
    reply.code(503).header('Cache-Control', 'no-store').send(failure(request.id, MESSAGE))
  })
}
