import { tryRefresh } from './account-steps.ts'
import type { Person } from './api.ts'
import { assertSucceeded } from './envelope.ts'
import type { Service } from './service.ts'

/** The same session with the pair that its refresh token was exchanged for. */
export async function refreshed(service: Service, person: Person): Promise<Person> {
  const answer = await tryRefresh(service, person)
  assertSucceeded(answer)
  const { accessToken, refreshToken } = answer.body.data
  return { ...person, accessToken, refreshToken }
}
