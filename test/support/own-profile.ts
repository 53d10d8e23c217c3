import { type Credentials, get } from './api.ts'
import { assertSucceeded } from './envelope.ts'

export async function ownProfile(service: { url: string }, as: Credentials) {
  const answer = await get(service, '/api/user-details', { as })
  assertSucceeded(answer)
  return answer.body.data.user
}
