import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import { everythingStored, someone } from '../support/accounts.ts'
import { assertSucceeded, del, PASSWORD, post, registration } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { startSmtpSink } from '../support/mail.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const sink = await startSmtpSink()
const suite = suiteCleanUp()
cleanUp(suite, () => sink.down())

async function isNamed(service: Service, email: string): Promise<boolean> {
  return JSON.stringify(await everythingStored(service)).includes(email)
}

async function tryAll({ portico: { deliveryWorker } }: Service): Promise<void> {
  deliveryWorker.wake()
  await deliveryWorker.idle()
}

describe('the notice of a deletion', () => {
  onBothEngines(
    (service) => {
      beforeEach(() => sink.refuse())

      async function deleteAccount(): Promise<string> {
        const person = await someone(service)
        assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: person }))
        await service.portico.deliveryWorker.idle()
        return person.email
      }

      it('is deleted with its address when the mail server refuses it permanently', async () => {
        sink.refuse(550)
        assert.equal(await isNamed(service, await deleteAccount()), false)
      })

      it('is retried for a day, and then deleted', async () => {
        sink.refuse(451)
        const email = await deleteAccount()
        await service.advanceTime({ hours: 23 })
        await tryAll(service)
        assert.equal(await isNamed(service, email), true)
        await service.advanceTime({ hours: 1 })
        await tryAll(service)
        assert.equal(await isNamed(service, email), false)
        assert.deepEqual(sink.mailsTo(email), [])
      })

      it('is no exception: no mail that permanently failed outlives the account', async () => {
        sink.refuse(550)
        const { email, ...body } = registration()
        assertSucceeded(await post(service, '/api/create-account', { email, ...body }), 201)
        await service.portico.deliveryWorker.idle()
        await service.advanceTime({ days: 6 })
        await deleteExpiredRows(service.portico.database)
        assert.equal(await isNamed(service, email as string), true)
        await service.advanceTime({ days: 1, seconds: 1 })
        await deleteExpiredRows(service.portico.database)
        assert.equal(await isNamed(service, email as string), false)
      })
    },
    { SMTP_URL: sink.url },
  )
})
