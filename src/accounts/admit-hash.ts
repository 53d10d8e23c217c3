import { networksAround } from '../http/client-address.ts'
import type { Counter, Limits } from '../http/rate-limit.ts'
import type { Request } from '../http/request.ts'
import { networkCounters } from '../limits/limits.ts'
import type { HashClient } from './hash-queue.ts'

/**
 * Takes one password hash, and the given counters, from the rate limits of the client's address and its networks.
 * Returns the client, which `hashPassword` and `verifyPassword` pass to their queue.
 */
export type AdmitHash = (request: Request, ...counters: Counter[]) => Promise<HashClient>

export function createAdmitHash(limits: Limits, ipOf: (request: Request) => string): AdmitHash {
  return async (request, ...counters) => {
    const ip = ipOf(request)
    await limits.take(request, ...counters, ...networkCounters('password', ip))
    const network = networksAround(ip).at(-1)?.prefix ?? ''
    const { socket } = request.raw
    return {
      network,
      connection() {
        if (socket.destroyed) return 'closed'
        return socket.readableEnded ? 'half-closed' : 'open'
      },
    }
  }
}
