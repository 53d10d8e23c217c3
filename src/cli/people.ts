import { printable } from '../lib/printable.ts'
import { changeRole } from '../owner/change-role.ts'
import { createPerson } from '../owner/create-person.ts'
import { deletePerson } from '../owner/delete-person.ts'
import { endPersonSession } from '../owner/end-person-session.ts'
import { endPersonSessions } from '../owner/end-person-sessions.ts'
import { liftSuspension } from '../owner/lift-suspension.ts'
import { listPeople } from '../owner/list-people.ts'
import type { OwnerOperation } from '../owner/owner-operation.ts'
import type { OwnerParts } from '../owner/parts.ts'
import { readPerson } from '../owner/read-person.ts'
import { renamePerson } from '../owner/rename-person.ts'
import { resetPersonFactors } from '../owner/reset-person-factors.ts'
import { sendResetMail } from '../owner/send-reset-mail.ts'
import { suspendPerson } from '../owner/suspend-person.ts'
import { verifyPerson } from '../owner/verify-person.ts'
import { CommandError, type Invocation } from './command.ts'
import { type OwnerDesk, withOwnerDesk } from './owner-desk.ts'
import { usageError } from './parse.ts'
import { alignColumns, type Terminal } from './terminal.ts'

type Person = Awaited<ReturnType<typeof findPerson>>

export async function list({ args: [search = ''], text, json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async ({ parts, run }) => {
    const query = { search, filter: text('filter') ?? 'all', limit: text('limit') ?? '50', after: text('after') }
    const { people, next } = await run(listPeople(parts), { query: withoutUndefined(query) })
    if (json) return terminal.printJson({ people, next })
    if (people.length === 0) return terminal.print(search ? `Nobody was found for "${search}".` : 'There is nobody.')
    printPeople(people, terminal)
    if (next) terminal.print(`\nThere are more: portico people list --after ${next}`)
  })
}

export async function show({ args: [who = ''], json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async (desk) => {
    const { userId } = await findPerson(desk, who)
    const details = await desk.run(readPerson(desk.parts), { query: { userId } })
    if (json) return terminal.printJson(details)
    const { person, waysToSignIn, providers, sessions, mails } = details
    const rows = [
      ['id', person.userId],
      ['e-mail', `${person.email}${person.isVerified ? '' : ' (not verified)'}`],
      ['name', `${person.firstName} ${person.lastName}`.trim()],
      ['username', person.username],
      ['role', person.role],
      ['created', person.createdAt],
      ...(person.suspendedUntil ? [['suspended', `until ${person.suspendedUntil}: ${person.suspensionReason}`]] : []),
      ['signs in with', [...waysToSignIn, ...providers].join(', ')],
      ['sessions', String(sessions.length)],
      ['mails waiting', String(mails.length)],
    ]
    for (const line of alignColumns(rows.map((row) => row.map(printable)))) terminal.print(line)
    if (sessions.length === 0) return
    const columns = sessions.map(({ sessionId, lastActiveAt, browser, os, clientIp }) =>
      [sessionId, lastActiveAt, `${browser}, ${os}`, clientIp ?? ''].map(printable),
    )
    terminal.print('')
    for (const line of alignColumns([['SESSION', 'LAST ACTIVE', 'PROGRAM', 'ADDRESS'], ...columns]))
      terminal.print(line)
  })
}

export async function suspend({ args: [who = ''], text, json, terminal }: Invocation): Promise<undefined> {
  const [until, reason] = [text('until'), text('reason')]
  if (!until || reason === undefined) throw usageError('Give --until and --reason')
  await withOwnerDesk(terminal, async (desk) => {
    const { userId, email } = await findPerson(desk, who)
    const moment = new Date(until)
    if (Number.isNaN(moment.valueOf())) throw usageError('--until must be a date such as 2027-01-31')
    await desk.run(suspendPerson(desk.parts), { body: { userId, until: moment.toISOString(), reason } })
    report({ json, terminal }, { userId, suspendedUntil: moment.toISOString() }, `Suspended ${email} until ${until}.`)
  })
}

export async function create({ args: [email = ''], text, json, terminal }: Invocation): Promise<undefined> {
  const firstName = text('first-name')
  if (!firstName) throw usageError('Give --first-name')
  await withOwnerDesk(terminal, async ({ parts, run }) => {
    const body = { email, firstName, lastName: text('last-name') ?? '' }
    const { person } = await run(createPerson(parts), { body })
    report(
      { json, terminal },
      { person },
      `Created ${person.email}. "portico people mail-reset" lets them choose a password.`,
    )
  })
}

export async function rename({ args: [who = '', username = ''], json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async (desk) => {
    const { userId, email } = await findPerson(desk, who)
    await desk.run(renamePerson(desk.parts), { body: { userId, username } })
    report({ json, terminal }, { userId, username }, `${email} has the username ${username}.`)
  })
}

/** A command that needs nothing but the person. */
function act(
  operationOf: (parts: OwnerParts) => OwnerOperation<{ userId: string }>,
  effect: (email: string) => string,
) {
  return async ({ args: [who = ''], json, terminal }: Invocation): Promise<undefined> => {
    await withOwnerDesk(terminal, async (desk) => {
      const { userId, email } = await findPerson(desk, who)
      await desk.run(operationOf(desk.parts), { body: { userId } })
      report({ json, terminal }, { userId }, effect(email))
    })
  }
}

export const lift = act(liftSuspension, (email) => `${email} can sign in again.`)
export const verify = act(verifyPerson, (email) => `${email} counts as verified.`)
export const endSessions = act(endPersonSessions, (email) => `Ended all sessions of ${email}.`)
export const resetFactors = act(resetPersonFactors, (email) => `Removed the second factors and passkeys of ${email}.`)
export const mailReset = act(sendResetMail, (email) => `A mail with a code to choose a password goes to ${email}.`)

export async function endSession({ args: [who = '', sessionId = ''], json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async (desk) => {
    const { userId, email } = await findPerson(desk, who)
    await desk.run(endPersonSession(desk.parts), { body: { userId, sessionId } })
    report({ json, terminal }, { userId, sessionId }, `Ended a session of ${email}.`)
  })
}

export async function remove({ args: [who = ''], flag, json, terminal }: Invocation): Promise<undefined> {
  if (!flag('yes')) throw usageError('This deletes the account for good: add --yes')
  await withOwnerDesk(terminal, async (desk) => {
    const { userId, email } = await findPerson(desk, who)
    await desk.run(deletePerson(desk.parts), { body: { userId, email } })
    report({ json, terminal }, { userId }, `Deleted ${email}.`)
  })
}

export async function listOwners({ json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async ({ parts, run }) => {
    const { people } = await run(listPeople(parts), { query: { filter: 'owners', limit: '100' } })
    if (json) return terminal.printJson({ owners: people })
    if (people.length > 0) printPeople(people, terminal)
    else terminal.print('There is no owner yet: "portico owner add EMAIL" makes a person one.')
  })
}

export const addOwner = (invocation: Invocation) => setRole(invocation, 'owner', 'is an owner of the site')
export const removeOwner = (invocation: Invocation) => setRole(invocation, 'member', 'is no longer an owner')

async function setRole(
  { args: [who = ''], json, terminal }: Invocation,
  role: 'owner' | 'member',
  effect: string,
): Promise<undefined> {
  await withOwnerDesk(terminal, async (desk) => {
    const signUp = role === 'owner' ? ` Sign up first: ${desk.parts.config.baseUrl}/sign-up` : ''
    const { userId, email } = await findPerson(desk, who, signUp)
    await desk.run(changeRole(desk.parts), { body: { userId, role } })
    report({ json, terminal }, { userId, role }, `${email} ${effect}.`)
  })
}

/** Finds a person by e-mail address, username or id. `remedy` follows the message that there is none. */
export async function findPerson(
  { parts }: OwnerDesk,
  who: string,
  remedy = '',
): Promise<{ userId: string; email: string }> {
  const found = await parts.database.query
    .selectFrom('users')
    .select(['id', 'email'])
    .where((eb) =>
      eb.or([eb('email', '=', who.toLowerCase()), eb('username_key', '=', who.toLowerCase()), eb('id', '=', who)]),
    )
    .executeTakeFirst()
  if (!found) throw new CommandError(`No account has the e-mail address, username or id ${printable(who)}.${remedy}`)
  return { userId: found.id, email: found.email }
}

function printPeople(people: (Person & Record<string, unknown>)[], terminal: Terminal): void {
  const rows = people.map((person) =>
    ['email', 'username', 'firstName', 'lastName', 'role', 'createdAt'].map((name) => printable(String(person[name]))),
  )
  const header = ['E-MAIL', 'USERNAME', 'FIRST NAME', 'LAST NAME', 'ROLE', 'CREATED']
  for (const line of alignColumns([header, ...rows])) terminal.print(line)
  terminal.print(people.length === 1 ? '\n1 person' : `\n${people.length} people`)
}

function report({ json, terminal }: Pick<Invocation, 'json' | 'terminal'>, data: object, sentence: string): void {
  if (json) terminal.printJson(data)
  else terminal.print(printable(sentence))
}

function withoutUndefined(values: Record<string, string | undefined>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
