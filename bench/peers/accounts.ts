import { peopleIn } from '../databases/people.ts'

/** How many accounts every server has. */
export const ACCOUNTS = 1000

/** How many of them send requests, each over its own connection. */
export const CALLERS = 16

export const callers = (place: 'readers' | 'writers') => peopleIn({ accounts: ACCOUNTS }, CALLERS, place)
