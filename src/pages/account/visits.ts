import type { Operation } from '../../http/operation.ts'
import { unauthenticated } from '../../http/refusal.ts'
import type { Caller, Request } from '../../http/request.ts'
import type { Validation } from '../../http/validation.ts'
import type { FindVisitor } from '../visitor.ts'
import type { Visit } from './page.ts'

interface VisitOptions {
  /** The operations of the API, by method and path. */
  operations: Map<string, Operation>
  validation: Validation
  findVisitor: FindVisitor
}

/**
 * Returns the function that finds the visitor of a request and lets a page call operations of the API as that visitor.
 */
export function createVisitOf({ operations, validation, findVisitor }: VisitOptions) {
  return async (request: Request): Promise<Visit> => {
    const visitor = await findVisitor(request)
    const cookies = visitor?.cookies ?? []
    const admittedCalls = new Set<string>()
    return {
      request,
      cookies,
      query: new URLSearchParams(request.search),
      visitor,
      async perform<Data>(call: string, input: object = {}) {
        const operation = operationOf(call)
        const values = { ...input }
        const isRead = call.startsWith('GET ')
        const schema = isRead ? operation.query : operation.body
        if (schema) await validation.validate(isRead ? 'query' : 'body', schema, values)
        if (operation.access === 'signed-in' && !visitor) throw unauthenticated()
        const caller = visitor?.caller as Caller
        if (!admittedCalls.has(call)) await operation.admit?.(request, caller)
        const result = await operation.handle({ body: values, query: values, request, caller })
        // Of two cookies with the same name, browsers keep the later one (RFC 6265, section 5.3).
        if (result.cookies) cookies.push(...result.cookies)
        return ('data' in result ? result.data : undefined) as Data
      },
      async admit(call) {
        await operationOf(call).admit?.(request, visitor?.caller as Caller)
        admittedCalls.add(call)
      },
    }
  }

  function operationOf(call: string): Operation {
    const operation = operations.get(call)
    if (!operation) throw new Error(`the API has no call ${call}`)
    return operation
  }
}
