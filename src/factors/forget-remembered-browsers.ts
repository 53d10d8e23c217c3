import type { AccountParts } from '../accounts/parts.ts'
import { recordEvent } from '../events/security-events.ts'
import { NO_NUL, Uuid } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { forgetBrowsers } from '../proofs/remembered-browsers.ts'
import { lockCaller } from '../sessions/lock-user.ts'

const unknownBrowser = declareRefusal({
  status: 404,
  code: 'remembered_browser_not_found',
  message: 'Remembered browser not found',
  when: 'The account has no remembered browser with the id',
})

export function forgetRememberedBrowsers({ database, clientInfoOf }: AccountParts) {
  return operation({
    id: 'forgetRememberedBrowsers',
    summary: 'Forget one remembered browser, or all of them',
    message: 'Browsers forgotten successfully',
    description:
      'Without an id, all are forgotten. Their next sign-in needs the second factor. Needs no proof of identity, since it ' +
      'takes rights away.',
    body: Type.Object({ id: Type.Optional(Type.String({ ...Uuid, minLength: 1, maxLength: 64, ...NO_NUL })) }),
    data: Type.Object({ forgotten: Type.Integer({ description: 'How many', examples: [1] }) }),
    refusals: [unknownBrowser],
    async handle({ body: { id }, caller, request }) {
      const { userId, sessionId } = caller
      const forgotten = await database.transaction(async (tx) => {
        await lockCaller(tx, database.now, caller)
        const forgotten = await forgetBrowsers(tx, userId, id)
        if (forgotten === 0 && id !== undefined) throw new Refusal(unknownBrowser)
        if (forgotten > 0) {
          const clientInfo = clientInfoOf(request)
          await recordEvent(tx, database.now, { type: 'browser.forgotten', userId, sessionId, clientInfo })
        }
        return forgotten
      })
      return { data: { forgotten } }
    },
  })
}
