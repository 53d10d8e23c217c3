import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import { originOf } from './device.ts'
import { leaveSession } from './end.ts'

export function logOut({ database }: { database: Database }) {
  return operation({
    summary: 'Log out: end the current session',
    async handle({ caller, request }) {
      await leaveSession(database, caller, originOf(request))
      return { message: 'Logged out successfully' }
    },
  })
}
