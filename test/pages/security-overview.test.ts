import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { removePassword, someone } from '../support/accounts.ts'
import { logInOnPages } from '../support/page-visitor.ts'
import { onBothEngines, type Service } from '../support/service.ts'

/** The rows of the overview: state, label and words of each. */
async function overviewOf(visitor: Awaited<ReturnType<typeof logInOnPages>>): Promise<string[]> {
  const { body } = await visitor.get('/account/security')
  const rows = body.matchAll(/<li class="(good|open|warn)"><a href="#([\w-]+)">.*?<span>(.+?)<\/span> <strong>(.+?)</g)
  return [...rows].map(([, state, anchor = '', label, words]) => {
    assert.ok(body.includes(`id="${anchor}"`), `no card has the id ${anchor}`)
    return `${state}: ${label}, ${words}`
  })
}

async function visitorOf(service: Service) {
  const person = await someone(service)
  return { person, visitor: await logInOnPages(service, person.email) }
}

describe('the overview of the security page', () => {
  onBothEngines((service) => {
    it('says how the account is protected, with links to the cards', async () => {
      const { visitor } = await visitorOf(service)
      assert.deepEqual(await overviewOf(visitor), [
        'good: Password, Set',
        'open: Passkeys, None yet',
        'open: Two-step sign-in, Off',
        'good: Signed in, On 2 devices',
      ])
    })

    it('warns of an account that nobody can sign in to again', async () => {
      const { person, visitor } = await visitorOf(service)
      await removePassword(service, person.email)
      assert.equal((await overviewOf(visitor))[0], 'open: Password, None')
      assert.match((await visitor.get('/account/security')).body, /You have no way to sign in again\./)
    })

    it('warns of an account with one provider and nothing else', async () => {
      const { person, visitor } = await visitorOf(service)
      const { query, now } = service.portico.database
      const link = { provider: 'codehost', issuer: 'https://codehost.example', subject: person.userId } as const
      await query
        .insertInto('linked_accounts')
        .values({ ...link, user_id: person.userId, username: 'ada', linked_at: now })
        .execute()
      assert.doesNotMatch((await visitor.get('/account/security')).body, /only way in/)
      await removePassword(service, person.email)
      assert.match((await visitor.get('/account/security')).body, /codehost is your only way in\./)
    })
  })
})
