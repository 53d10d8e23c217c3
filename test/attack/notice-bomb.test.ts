import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { assertSucceeded, logIn, mailsTo, post } from '../support/api.ts'
import { PageVisitor } from '../support/page-visitor.ts'
import { addPasskey, removePasskey, tryAddPasskey } from '../support/passkeys.ts'
import { assertLimited, from, LIMITED, newAddress, times } from '../support/rate-limits.ts'
import { addApp, type Protected } from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

const CHANGES = 12
const MAX_CHANGES = 8

describe('a stolen session that fills the mailbox and the security events of the owner with changes', () => {
  onBothEngines(
    (service) => {
      /** A person who has made one of the changes. */
      const protectedOwner = async (): Promise<Protected> => addApp(service, await someone(service))

      it('is limited on the pages, although each change gives the session a new id', async () => {
        const owner = await protectedOwner()
        const thief = new PageVisitor(service)
        thief.cookies.set('portico_session', browserCookie(owner))
        const pages = await times(CHANGES, () => thief.submit('/account/security', 'recovery-codes'))
        const statuses = pages.map(({ status }) => status)
        assert.deepEqual(statuses, [...Array(MAX_CHANGES - 1).fill(200), ...Array(CHANGES - MAX_CHANGES + 1).fill(429)])
        const events = await service.portico.database.query
          .selectFrom('security_events')
          .select('id')
          .where('user_id', '=', owner.userId)
          .where('type', '=', 'recovery-codes.replaced')
          .execute()
        assert.equal(events.length, MAX_CHANGES - 1)
      })

      it('is limited in the API, in all its sessions together', async () => {
        const owner = await protectedOwner()
        const toggle = (isRequired: boolean) => post(service, '/api/second-factor', { isRequired }, { as: owner })
        for (let change = 1; change < MAX_CHANGES; change++) assertSucceeded(await toggle(change % 2 === 0))
        const another = await logIn(service, owner)
        assertLimited(
          await post(service, '/api/recovery-codes', undefined, { as: another }),
          'security',
          MAX_CHANGES,
          3600,
        )
        const mails = (await mailsTo(service, owner.email)).filter(({ subject }) => /[Tt]wo-step/.test(subject))
        assert.ok(mails.length < MAX_CHANGES)
      })

      it('does not keep the owner at another address from a change', async () => {
        const owner = await someone(service)
        const passkey = await addPasskey(service, owner)
        await times(MAX_CHANGES, () => tryAddPasskey(service, owner, passkey))
        assertLimited(await removePasskey(service, owner, passkey.id), 'security', MAX_CHANGES, 3600)
        assertSucceeded(
          await post(service, '/api/second-factor', { isRequired: true }, { as: owner, ...from(newAddress()) }),
        )
      })

      /** The cookie of a browser session of the owner. */
      function browserCookie({ userId, sessionId }: Protected): string {
        const line = service.portico.browserSession.cookieFor({ userId, sessionId })
        return /=([^;]*)/.exec(line)?.[1] as string
      }
    },
    { ...LIMITED, RATE_LIMIT_SECURITY: `${MAX_CHANGES}/1h`, RATE_LIMIT_API: '1000/1m' },
  )
})
