import { REGISTRATION_MODES, type Registration } from '../accounts/registration.ts'
import { printable } from '../lib/printable.ts'
import { changeRegistration } from '../owner/change-registration.ts'
import { readRegistration } from '../owner/read-registration.ts'
import type { Invocation } from './command.ts'
import { withOwnerDesk } from './owner-desk.ts'
import { usageError } from './parse.ts'

const MEANINGS: Record<Registration['mode'], string> = {
  open: 'Everybody can create an account.',
  invite: 'Only invited people can create an account: "portico invitation create EMAIL" invites one.',
  closed: 'Nobody can create an account.',
}

const LIMITED = 'People with an address of one of the domains, and invited people, can create an account.'

export async function show({ json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async ({ parts, run }) => print({ json, terminal }, await run(readRegistration(parts))))
}

export async function set({ args: [mode], text, json, terminal }: Invocation): Promise<undefined> {
  if (mode && !REGISTRATION_MODES.some((known) => known === mode))
    throw usageError(`MODE must be one of ${REGISTRATION_MODES.join(', ')}`)
  const domains = text('domains')
  if (!mode && domains === undefined) throw usageError('Give MODE, --domains or both')
  await withOwnerDesk(terminal, async ({ parts, run }) => {
    const body = {
      ...(mode && { mode }),
      ...(domains !== undefined && { allowedDomains: domains.split(',').filter((domain) => domain.trim() !== '') }),
    }
    print({ json, terminal }, await run(changeRegistration(parts), { body }))
  })
}

function print({ json, terminal }: Pick<Invocation, 'json' | 'terminal'>, registration: Registration): void {
  const { mode, allowedDomains } = registration
  const isLimited = mode === 'open' && allowedDomains.length > 0
  if (json) {
    terminal.printJson(registration)
    return
  }
  terminal.print(`Registration is ${mode}. ${isLimited ? LIMITED : MEANINGS[mode]}`)
  if (allowedDomains.length === 0) return
  const domains = printable(allowedDomains.join(', '))
  terminal.print(`Domains: ${domains}${isLimited ? '' : ' (these matter only while registration is open)'}`)
}
