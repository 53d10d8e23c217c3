import type { Log } from '../logging/log.ts'
import { failure } from './envelope.ts'
import { isPublic } from './forwarded.ts'
import { declareRefusal } from './refusal.ts'
import type { HttpServer } from './server.ts'

const modeNotSet = declareRefusal({
  status: 503,
  code: 'mode_not_set',
  message:
    'NODE_ENV is not set, and a proxy forwarded this request for a public site (https, or a host that is not this machine): ' +
    'set NODE_ENV=production, or NODE_ENV=development on a machine that strangers cannot reach',
  when: 'The operator has to set NODE_ENV',
})

/**
 * Refuses requests of a public site with 503, and logs the first. For use when NODE_ENV is not set: development mode is
 * then the default, which is safe only on a developer's own machine.
 */
export function refusePublicRequests(server: HttpServer, log: Log): void {
  let isLogged = false
  server.addHook((request, reply) => {
    if (!isPublic(request)) return
    if (!isLogged) log.error(modeNotSet.message)
    isLogged = true
    reply.code(modeNotSet.status).header('Cache-Control', 'no-store').send(failure(request.id, modeNotSet))
  })
}
