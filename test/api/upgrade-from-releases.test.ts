import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { assertAlive, refreshed, verify } from '../support/accounts.ts'
import { assertSucceeded, codeFor, eventTypes, get, logIn, type Person } from '../support/api.ts'
import { type CleanedUp, cleanUp } from '../support/clean-up.ts'
import { assertServed } from '../support/pictures.ts'
import { ENGINES, type EngineName, type Service, startOn, temporaryDatabase } from '../support/service.ts'
import { withRealHashes } from '../support/test-speed.ts'
import { fixtureFile, openRaw, releasedTags, type UpgradeFixture } from '../support/upgrade-fixtures.ts'

/** The fixture in a database of its own, as if it had been made just now. */
async function load(test: CleanedUp, tag: string, engine: EngineName) {
  const fixture: UpgradeFixture = JSON.parse(readFileSync(fixtureFile(tag, engine, 'json'), 'utf8'))
  const env = await temporaryDatabase(test, engine)
  const raw = await openRaw(env)
  const ageSeconds = Math.floor((Date.now() - fixture.madeAt) / 1000)
  try {
    await raw.execute(readFileSync(fixtureFile(tag, engine, 'sql'), 'utf8'))
    await raw.moveTimes(ageSeconds * 1000)
  } finally {
    await raw.close()
  }
  return { fixture, env: { ...env, ...fixture.grace.provider, BASE_URL: fixture.baseUrl }, ageSeconds }
}

/**
 * A token of the fixture with times that are later by so many seconds. The MAC of the unchanged token must be the one
 * that the current version computes, so the version accepts the token as it was issued.
 */
async function renewed({ portico }: Service, token: string, seconds: number): Promise<string> {
  const key = await portico.keys.find(decodeProtectedHeader(token).kid ?? '')
  assert.ok(key)
  const [header = '', claims = ''] = token.split('.')
  const withMac = (text: string) => `${text}.${createHmac('sha256', key.macKey).update(text).digest('base64url')}`
  assert.equal(withMac(`${header}.${claims}`), token)
  const { iat = 0, exp = 0, ...others } = decodeJwt(token)
  const later = { ...others, iat: iat + seconds, exp: exp + seconds }
  return withMac(`${header}.${Buffer.from(JSON.stringify(later)).toString('base64url')}`)
}

const schemaOf = async (env: Record<string, string>) => {
  const raw = await openRaw(env)
  const { tables, constraints, indexes } = await raw.dump()
  const faults = await raw.faults()
  await raw.close()
  return { tables, constraints, indexes, faults }
}

for (const tag of releasedTags()) {
  describe(`the database of ${tag}`, () => {
    withRealHashes()
    for (const engine of ENGINES) {
      it(`keeps accounts, sessions, pictures, links and mails, on ${engine}`, async (t) => {
        const { fixture, env, ageSeconds } = await load(t, tag, engine)
        const { ada, grace, alan } = fixture
        const service = await startOn(env)
        cleanUp(t, () => service.close())

        const continued = async (person: Person) => {
          const refreshToken = await renewed(service, person.refreshToken, ageSeconds)
          return refreshed(service, { ...person, refreshToken })
        }
        await assertAlive(service, await continued(ada))
        const [name = '', value = ''] = ada.cookie.split('=')
        const cookie = `${name}=${await renewed(service, value, ageSeconds)}`
        assert.equal((await get(service, '/account', { headers: { cookie }, redirect: 'manual' })).status, 200)

        const session = await logIn(service, ada)
        const { body } = await get(service, '/api/user-details', { as: session })
        assert.deepEqual([body.data.user.bio, body.data.user.avatar], [ada.bio, ada.avatar])
        await assertServed(service, ada.avatar)
        const events = await eventTypes(service, session)
        for (const type of ['avatar.set', 'log-in.failed', 'session.ended']) assert.ok(events.includes(type), type)

        const links = await get(service, '/api/linked-accounts', { as: await continued(grace) })
        assert.deepEqual(
          links.body.data.linkedAccounts.map(({ linkedAt, ...link }: { linkedAt: string }) => link),
          [{ provider: 'codehost', username: 'grace' }],
        )

        // The older version had tried to send the mail, and would have tried again after some seconds.
        await service.advanceTime({ minutes: 1 })
        service.portico.deliveryWorker.wake()
        assertSucceeded(await verify(service, alan.email, await codeFor(service, alan.email)))
        await logIn(service, alan)

        const fresh = await temporaryDatabase(t, engine)
        await (await startOn(fresh)).close()
        assert.deepEqual(await schemaOf(env), { ...(await schemaOf(fresh)), faults: [] })
      })
    }
  })
}
