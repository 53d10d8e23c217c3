import type { OperationRoute } from '../http/operation.ts'
import { changeRegistration } from './change-registration.ts'
import { changeRole } from './change-role.ts'
import { changeWebhook } from './change-webhook.ts'
import { createInvitation } from './create-invitation.ts'
import { createPerson } from './create-person.ts'
import { createWebhook } from './create-webhook.ts'
import { deletePerson } from './delete-person.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { dropMails } from './drop-mails.ts'
import { endPersonSession } from './end-person-session.ts'
import { endPersonSessions } from './end-person-sessions.ts'
import { liftSuspension } from './lift-suspension.ts'
import { listInvitations } from './list-invitations.ts'
import { listMails } from './list-mails.ts'
import { listOwnerActions } from './list-owner-actions.ts'
import { listPeople } from './list-people.ts'
import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { listWebhooks } from './list-webhooks.ts'
import type { OwnerParts } from './parts.ts'
import { readContent } from './read-content.ts'
import { readHealth } from './read-health.ts'
import { readPerson } from './read-person.ts'
import { readRegistration } from './read-registration.ts'
import { renamePerson } from './rename-person.ts'
import { resendWebhookDelivery } from './resend-webhook-delivery.ts'
import { resetPersonFactors } from './reset-person-factors.ts'
import { retryMails } from './retry-mails.ts'
import { revokeInvitation } from './revoke-invitation.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { sendResetMail } from './send-reset-mail.ts'
import { sendTestMail } from './send-test-mail.ts'
import { suspendPerson } from './suspend-person.ts'
import { verifyPerson } from './verify-person.ts'

/** The operations of the owner's desk. */
export const ownerRoutes = (parts: OwnerParts): OperationRoute[] => [
  ['GET', '/api/owner/people', listPeople(parts)],
  ['POST', '/api/owner/people', createPerson(parts)],
  ['GET', '/api/owner/person', readPerson(parts)],
  ['DELETE', '/api/owner/person', deletePerson(parts)],
  ['POST', '/api/owner/person/verify', verifyPerson(parts)],
  ['POST', '/api/owner/person/username', renamePerson(parts)],
  ['POST', '/api/owner/person/suspend', suspendPerson(parts)],
  ['POST', '/api/owner/person/lift-suspension', liftSuspension(parts)],
  ['POST', '/api/owner/person/end-session', endPersonSession(parts)],
  ['POST', '/api/owner/person/end-sessions', endPersonSessions(parts)],
  ['POST', '/api/owner/person/reset-factors', resetPersonFactors(parts)],
  ['POST', '/api/owner/person/reset-mail', sendResetMail(parts)],
  ['POST', '/api/owner/person/role', changeRole(parts)],
  ['GET', '/api/owner/audit', listOwnerActions(parts)],
  ['GET', '/api/owner/registration', readRegistration(parts)],
  ['POST', '/api/owner/registration', changeRegistration(parts)],
  ['GET', '/api/owner/invitations', listInvitations(parts)],
  ['POST', '/api/owner/invitations', createInvitation(parts)],
  ['DELETE', '/api/owner/invitations', revokeInvitation(parts)],
  ['GET', '/api/owner/health', readHealth(parts)],
  ['GET', '/api/owner/content', readContent(parts)],
  ['GET', '/api/owner/mails', listMails(parts)],
  ['DELETE', '/api/owner/mails', dropMails(parts)],
  ['POST', '/api/owner/mails/retry', retryMails(parts)],
  ['POST', '/api/owner/mails/test', sendTestMail(parts)],
  ['GET', '/api/owner/webhooks', listWebhooks(parts)],
  ['POST', '/api/owner/webhooks', createWebhook(parts)],
  ['DELETE', '/api/owner/webhooks', deleteWebhook(parts)],
  ['POST', '/api/owner/webhooks/change', changeWebhook(parts)],
  ['POST', '/api/owner/webhooks/rotate-secret', rotateWebhookSecret(parts)],
  ['GET', '/api/owner/webhooks/deliveries', listWebhookDeliveries(parts)],
  ['POST', '/api/owner/webhooks/deliveries/resend', resendWebhookDelivery(parts)],
]
