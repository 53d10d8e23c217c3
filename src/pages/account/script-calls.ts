import { Refusal, unauthenticated } from '../../http/refusal.ts'
import type { Reply } from '../../http/reply.ts'
import type { Caller, Request } from '../../http/request.ts'
import type { Routes } from '../../http/routes.ts'
import { CONFIRM_PATH } from './confirm.ts'
import { LOG_IN_PATH } from './log-in.ts'
import type { Visit } from './page.ts'
import { passkeyOptionsPath } from './passkey-form.ts'
import { requireSameOrigin } from './same-origin.ts'
import { SECURITY_PATH } from './security/part.ts'

interface ScriptCall {
  /** The operation of the API with the same effect. */
  call: string
  isForGuests?: true
  input?(query: URLSearchParams): object
}

/** The calls that scripts of the pages make with the session of the browser, by path. */
const SCRIPT_CALLS: Record<string, ScriptCall> = {
  '/account/username/check': {
    call: 'GET /api/change-username',
    input: (query) => ({ username: query.get('username') ?? '' }),
  },
  [passkeyOptionsPath(LOG_IN_PATH)]: { call: 'POST /api/log-in/passkey/options', isForGuests: true },
  [passkeyOptionsPath(CONFIRM_PATH)]: { call: 'POST /api/reauthenticate/passkey-options' },
  [passkeyOptionsPath(SECURITY_PATH)]: {
    call: 'POST /api/passkeys/registration-options',
    input: (query) => ({ isConditional: query.has('conditional') }),
  },
}

interface ScriptCallOptions {
  baseUrl: string
  visitOf(request: Request): Promise<Visit>
  /** Counts the request in its rate limit. */
  count(request: Request, caller: Caller | undefined): Promise<void>
}

/** Serves the calls of the scripts: the data of the operation as JSON, or the code and the message of its refusal. */
export function serveScriptCalls(app: Routes, { baseUrl, visitOf, count }: ScriptCallOptions): void {
  for (const [path, { call, isForGuests, input }] of Object.entries(SCRIPT_CALLS)) {
    const method = call.startsWith('GET ') ? 'GET' : 'POST'
    app.route({
      method,
      path,
      async handle(request, reply) {
        if (method === 'POST') requireSameOrigin(request, baseUrl)
        const { visitor, perform, query } = await visitOf(request)
        await count(request, visitor?.caller)
        reply.header('Cache-Control', 'no-store')
        try {
          if (!visitor && !isForGuests) throw unauthenticated()
          return await perform(call, input?.(query))
        } catch (error) {
          return refused(reply, error)
        }
      },
    })
  }
}

function refused(reply: Reply, error: unknown) {
  if (!(error instanceof Refusal) || error.status >= 500) throw error
  reply.code(error.status).headers(error.headers)
  return { code: error.kind.code, message: error.message }
}
