import { operation } from '../http/operation.ts'
import { endOwnSession } from './end.ts'
import type { SessionParts } from './start.ts'

export function logOut(parts: Pick<SessionParts, 'database' | 'config' | 'clientInfoOf'>) {
  return operation({
    id: 'logOut',
    summary: 'Log out: end the current session',
    message: 'Logged out successfully',
    async handle({ caller, request }) {
      await endOwnSession(parts, caller, parts.clientInfoOf(request))
      return {}
    },
  })
}
