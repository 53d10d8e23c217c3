import { randomUUID } from 'node:crypto'
import { hashPassword } from '../../src/accounts/password.ts'
import { startSession, tokenPair } from '../../src/sessions/start.ts'
import { newEmail, PASSWORD, type Person } from './api.ts'
import type { Service } from './service.ts'
import { TEST_CLIENT_INFO } from './test-client-info.ts'

let sharedHash: Promise<string> | undefined

/** Many verified and signed-in people, without the time it takes to register each: they share one password hash. */
export async function crowd({ portico }: Pick<Service, 'portico'>, size: number): Promise<Person[]> {
  const { database, tokens } = portico
  sharedHash ??= hashPassword(PASSWORD)
  const hash = await sharedHash
  const sessions = await database.transaction(async (tx) => {
    const started = []
    for (let number = 0; number < size; number++) {
      const username = `c${randomUUID().slice(0, 12)}`
      const owner = { id: randomUUID(), email: newEmail(), first_name: 'Ada' }
      await tx
        .insertInto('users')
        .values({
          ...owner,
          last_name: 'Lovelace',
          email_verified_at: database.now,
          password_hash: hash,
          auth_method: 'email',
          username,
          username_key: username,
          created_at: database.now,
        })
        .execute()
      started.push({ email: owner.email, session: await startSession(tx, portico, owner, 'email', TEST_CLIENT_INFO) })
    }
    return started
  })
  return sessions.map(({ email, session }) => ({
    email,
    password: PASSWORD,
    userId: session.userId,
    sessionId: session.sessionId,
    ...tokenPair(tokens, session),
  }))
}

export async function someone(service: Pick<Service, 'portico'>): Promise<Person> {
  const [person] = await crowd(service, 1)
  if (!person) throw new Error('nobody came')
  return person
}
