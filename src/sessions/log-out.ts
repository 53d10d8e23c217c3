import { operation } from '../http/operation.ts'
import { endOwnSession } from './end.ts'
import type { SessionParts } from './start.ts'

export function logOut({ database, clientInfoOf }: Pick<SessionParts, 'database' | 'clientInfoOf'>) {
  return operation({
    id: 'logOut',
    summary: 'Log out: end the current session',
    message: 'Logged out successfully',
    async handle({ caller, request }) {
      await endOwnSession(database, caller, clientInfoOf(request))
      return {}
    },
  })
}
