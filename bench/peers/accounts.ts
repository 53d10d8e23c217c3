import { peopleIn } from '../databases/people.ts'

/** The number of accounts of every server. */
export const ACCOUNTS = 1000

/** The number of accounts that send requests, each over its own connection. */
export const CALLERS = 16

export const callers = (place: 'readers' | 'writers') => peopleIn({ accounts: ACCOUNTS }, CALLERS, place)
