import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countAccounts, crowd, register, someone, verify } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  linkFor,
  mailsTo,
  newEmail,
  post,
  registration,
} from '../support/api.ts'
import { changeEmail, confirmChange, emailOf, requestChange, storedOf, undoChange } from '../support/email-changes.ts'
import { onBothEngines } from '../support/service.ts'

const CONCURRENCY = 64
const INVALID_CODE = 'Invalid or expired code for the new address'
const NOT_UNDONE = 'This change cannot be undone any more'

const wins = (responses: ApiResponse[]) => responses.filter(({ status }) => status === 200)

describe(`of ${CONCURRENCY} concurrent requests about an address`, () => {
  onBothEngines((service) => {
    it('one confirms a change', async () => {
      const person = await someone(service)
      const to = newEmail()
      await requestChange(service, person, to)
      const { token } = await linkFor(service, to)
      const responses = await Promise.all(
        Array.from({ length: CONCURRENCY }, () => confirmChange(service, person, token)),
      )
      assert.equal(wins(responses).length, 1)
      for (const response of responses.filter(({ status }) => status !== 200))
        assertRefused(response, 400, INVALID_CODE)
      const { email_undos } = await storedOf(service, person)
      assert.equal(email_undos.length, 1)
    })

    it('one undoes a change', async () => {
      const person = await someone(service)
      const { undoToken } = await changeEmail(service, person)
      const responses = await Promise.all(Array.from({ length: CONCURRENCY }, () => undoChange(service, undoToken)))
      assert.equal(wins(responses).length, 1)
      for (const response of responses.filter(({ status }) => status !== 200)) assertRefused(response, 400, NOT_UNDONE)
      const undone = (await mailsTo(service, person.email)).filter(({ subject }) => subject.startsWith('The change of'))
      assert.equal(undone.length, 1)
    })

    it('one of as many accounts gets an address that all have proven', async () => {
      const people = await crowd(service, CONCURRENCY)
      const to = newEmail()
      const tokens: string[] = []
      for (const person of people) {
        await requestChange(service, person, to)
        tokens.push((await linkFor(service, to)).token)
      }
      const responses = await Promise.all(people.map((person, at) => confirmChange(service, person, tokens[at] ?? '')))
      assert.equal(wins(responses).length, 1)
      for (const response of responses.filter(({ status }) => status !== 200))
        assertRefused(response, 409, 'Email already registered')
      assert.equal(await countAccounts(service, to), 1)
    })

    it('one gets an address that is confirmed, registered and verified at the same time', async () => {
      for (let round = 0; round < 8; round++) {
        const person = await someone(service)
        const to = newEmail()
        await requestChange(service, person, to)
        const { token } = await linkFor(service, to)
        const registered = round % 2 === 0 ? await register(service, { email: to }) : undefined
        const [confirmed, ...others] = await Promise.all([
          confirmChange(service, person, token),
          ...(registered
            ? [verify(service, to, registered.code)]
            : [post(service, '/api/create-account', registration({ email: to }))]),
        ])
        assert.ok([200, 409].includes(confirmed.status), JSON.stringify(confirmed.body))
        for (const { status } of others) assert.ok([200, 201, 400, 409].includes(status))
        assert.equal(await countAccounts(service, to), 1)
        if (registered) assert.notEqual(confirmed.status === 200, others[0]?.status === 200)
        else if (confirmed.status !== 200) assert.fail('an unverified registration blocks nothing')
        assert.equal(await emailOf(service, person.userId), confirmed.status === 200 ? to : person.email)
      }
    })

    it('none takes an address while its account changes to another one', async () => {
      for (let round = 0; round < 8; round++) {
        const [person, other] = [await someone(service), await someone(service)]
        const to = newEmail()
        await requestChange(service, person, to)
        const [{ token }, body] = [await linkFor(service, to), registration({ email: person.email })]
        const [changed, ...registrations] = await Promise.all([
          confirmChange(service, person, token),
          ...Array.from({ length: 4 }, () => post(service, '/api/create-account', body)),
          requestChange(service, other, person.email),
        ])
        assertSucceeded(changed)
        for (const response of registrations.slice(0, -1)) assertRefused(response, 409, 'Email already registered')
        assert.equal(await countAccounts(service, person.email), 0)
        const { codes } = await storedOf(service, other)
        assert.deepEqual(codes, [])
      }
    })
  })
})
