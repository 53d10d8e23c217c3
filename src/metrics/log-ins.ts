import type { OperationResult, Redirect } from '../http/envelope.ts'
import type { OperationRoute } from '../http/operation.ts'
import { Refusal } from '../http/refusal.ts'
import type { Observer } from '../lib/observer.ts'

/** The operations that sign somebody in, with the label of their method. */
export const LOG_IN_METHODS: Record<string, string> = {
  'POST /api/log-in': 'password',
  'POST /api/log-in/code/verify': 'mailed-code',
  'POST /api/log-in/passkey': 'passkey',
  'POST /api/log-in/second-factor': 'second-factor',
  'POST /api/email-verification': 'email-verification',
  'GET /api/oauth/codehost': 'codehost',
  'GET /api/oauth/idp': 'idp',
}

/**
 * Reports the result of each log-in. The pages call the same operations as the API, so this is the one place where both
 * are seen. A request that does not match the schema never reaches the operation, and is no log-in.
 */
export function observeLogIns(routes: OperationRoute[], observer: Pick<Observer, 'loggedIn'>): OperationRoute[] {
  return routes.map(([method, path, operation]) => {
    const label = LOG_IN_METHODS[`${method} ${path}`]
    if (!label) return [method, path, operation]
    const handle: typeof operation.handle = async (call) => {
      try {
        const result: OperationResult | Redirect = await operation.handle(call)
        observer.loggedIn(label, result.outcome ?? 'success')
        return result
      } catch (error) {
        observer.loggedIn(label, error instanceof Refusal ? error.kind.code : 'failed')
        throw error
      }
    }
    return [method, path, { ...operation, handle }]
  })
}
