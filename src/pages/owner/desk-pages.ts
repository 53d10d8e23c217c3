import { auditPage } from './audit.ts'
import { newPersonPage } from './new-person.ts'
import type { DeskPage } from './page.ts'
import type { DeskParts } from './parts.ts'
import { peoplePage } from './people.ts'
import { personPage } from './person/page.ts'

/** All pages of the owner's desk. */
export const deskPages = (parts: DeskParts): DeskPage[] => [
  peoplePage(parts),
  newPersonPage(),
  personPage(parts),
  auditPage(),
]
