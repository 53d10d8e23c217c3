import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownProfile } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, fieldsOf, post } from '../support/api.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { signedIn } from '../support/sign-in-steps.ts'

describe('a user with one name', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      it(`from the ${name} can send the whole profile back, and can add a last name permanently`, async () => {
        const subject = providers[name].people.admit({ firstName: 'Plato', lastName: '' })
        const person = await signedIn(service, providers[name], subject)
        const profile = await ownProfile(service, person)
        assert.deepEqual([profile.firstName, profile.lastName], ['Plato', ''])
        const send = (change: object) => post(service, '/api/user-details', { ...profile, ...change }, { as: person })

        assertSucceeded(await send({ bio: 'of Athens' }))
        assert.deepEqual(await ownProfile(service, person), { ...profile, bio: 'of Athens' })
        assertSucceeded(await send({ lastName: 'Aristocles' }))

        const refused = await send({ bio: 'nobody' })
        assertRefused(refused, 400, 'Validation failed')
        assert.deepEqual(fieldsOf(refused), { lastName: 'Last name is required' })
        assert.deepEqual(await ownProfile(service, person), { ...profile, lastName: 'Aristocles' })
      })
    }
  })
})
