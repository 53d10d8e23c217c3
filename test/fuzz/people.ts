import fc from 'fast-check'
import { get, logIn, PASSWORD, type Person, post, registration } from '../support/api.ts'
import { codeIn, type SmtpSink } from '../support/mail.ts'

// The first of them are signed in. The last ones have not verified their address yet.
const SIGNED_IN = 6
const UNVERIFIED = 2
const SIZE = SIGNED_IN + UNVERIFIED

export type Word = 'EMAIL' | 'TOKEN' | 'SESSION' | 'REFRESH' | 'CODE'
const WORDS = /~([A-Z]+)(\d)~/g

/**
 * Values that only a running service can issue. A request names one as `~TOKEN0~`, the access token of the first
 * person. The placeholder is replaced when the request is sent, so the same request can be sent again, and shrunk.
 */
export function placeholderOf(word: Word): fc.Arbitrary<string> {
  return fc.nat({ max: SIZE - 1 }).map((who) => `~${word}${who}~`)
}

/** The session of a request, always both parts of the same one. */
export function sessionPlaceholder(): fc.Arbitrary<Record<string, string>> {
  return fc
    .nat({ max: SIGNED_IN - 1 })
    .map((who) => ({ authorization: `Bearer ~TOKEN${who}~`, 'x-session-id': `~SESSION${who}~` }))
}

export function namedIn(text: string): { name: string; word: Word; who: number }[] {
  return [...text.matchAll(WORDS)].map(([name, word, who]) => ({ name, word: word as Word, who: Number(who) }))
}

export interface People {
  /** Replaces the placeholders. */
  fill(text: string): string
  lookUp(word: Word, who: number): string
  /** Signs in or replaces every person who has lost the session, password or account. */
  restore(): Promise<void>
  /** After this response, all persons named in the request may have lost their session. */
  markUncertain(request: string): void
}

export function gatherPeople(service: { url: string }, sink: SmtpSink): People {
  const people: Partial<Person>[] = []
  const uncertain = new Set(Array.from({ length: SIGNED_IN }, (_, who) => who))
  let restoring = Promise.resolve()

  async function register(): Promise<Person> {
    const body = registration()
    await post(service, '/api/create-account', body)
    return {
      email: body.email,
      password: PASSWORD,
      userId: '',
      accessToken: 'none',
      sessionId: 'none',
      refreshToken: 'none',
    }
  }

  async function signUp(): Promise<Person> {
    const { email } = await register()
    const verificationCode = await arrival(() => codeIn(sink, email))
    await post(service, '/api/email-verification', { email, verificationCode })
    return logIn(service, { email, password: PASSWORD })
  }

  async function isAlive(person: Partial<Person> | undefined): Promise<boolean> {
    if (!person?.accessToken || !person.sessionId) return false
    const { accessToken, sessionId } = person
    return (await get(service, '/api/user-details', { as: { accessToken, sessionId } })).status === 200
  }

  function lookUp(word: Word, who: number): string {
    const person = people[who % SIZE] ?? {}
    switch (word) {
      case 'EMAIL':
        return person.email ?? ''
      case 'TOKEN':
        return person.accessToken ?? ''
      case 'SESSION':
        return person.sessionId ?? ''
      case 'REFRESH':
        return person.refreshToken ?? ''
      case 'CODE':
        return newestCode(person.email ?? '')
      default:
        return ''
    }
  }

  function newestCode(email: string): string {
    try {
      return codeIn(sink, email)
    } catch {
      return '000000'
    }
  }

  return {
    fill: (text) => text.replace(WORDS, (_, word: Word, who: string) => lookUp(word, Number(who))),
    lookUp,
    markUncertain(request) {
      for (const { who } of namedIn(request)) if (who < SIGNED_IN) uncertain.add(who)
    },
    // One after the other, also for concurrent calls.
    restore() {
      if (uncertain.size > 0) restoring = restoring.catch(() => {}).then(restoreUncertain)
      return restoring
    },
  }

  async function restoreUncertain(): Promise<void> {
    for (const who of uncertain) {
      const person = people[who]
      if (!(await isAlive(person))) {
        people[who] = await logIn(service, { email: person?.email ?? '', password: PASSWORD }).catch(signUp)
      }
      uncertain.delete(who)
    }
    for (let who = SIGNED_IN; who < SIZE; who++) people[who] ??= await register()
  }
}

async function arrival<T>(look: () => T): Promise<T> {
  const deadline = Date.now() + 10_000
  for (;;) {
    try {
      return look()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}
