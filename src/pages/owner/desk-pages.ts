import { auditPage } from './audit.ts'
import { contentPage } from './content.ts'
import { healthPage } from './health.ts'
import { mailPage } from './mail/page.ts'
import { newPersonPage } from './new-person.ts'
import { overviewPage } from './overview.ts'
import type { DeskPage } from './page.ts'
import type { DeskParts } from './parts.ts'
import { peoplePage } from './people.ts'
import { personPage } from './person/page.ts'
import { registrationPage } from './registration/page.ts'
import { webhooksPage } from './webhooks/list.ts'
import { newWebhookPage } from './webhooks/new.ts'
import { webhookPage } from './webhooks/page.ts'

/** All pages of the owner's desk. */
export const deskPages = (parts: DeskParts): DeskPage[] => [
  overviewPage(),
  peoplePage(parts),
  newPersonPage(),
  personPage(parts),
  registrationPage(),
  webhooksPage(),
  newWebhookPage(),
  webhookPage(),
  mailPage(),
  contentPage(parts),
  healthPage(),
  auditPage(),
]
