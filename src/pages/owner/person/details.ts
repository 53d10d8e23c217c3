import type { readPerson } from '../../../owner/read-person.ts'
import type { DataOf } from '../page.ts'

export type PersonDetails = DataOf<typeof readPerson>
