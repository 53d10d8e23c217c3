import { parseTrace, type Trace } from '../lib/trace-context.ts'
import { createAddressMatcher, header, plainAddress } from './client-address.ts'
import type { Request } from './request.ts'

/**
 * Returns the function that reads the trace of a request. Only a trusted proxy may name it: a client could otherwise
 * attach its requests to the traces of others. Undefined when there are no trusted proxies.
 */
export function createTraceReader(trustedProxies: string[]): ((request: Request) => Trace | undefined) | undefined {
  if (trustedProxies.length === 0) return undefined
  const isTrusted = createAddressMatcher(trustedProxies)
  return (request) => {
    const traceparent = header(request, 'traceparent')
    if (traceparent === undefined) return undefined
    const trace = parseTrace(traceparent, header(request, 'tracestate'))
    return trace && isTrusted(plainAddress(request.raw.socket.remoteAddress ?? '')) ? trace : undefined
  }
}
