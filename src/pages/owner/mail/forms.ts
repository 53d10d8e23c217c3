import type { retryMails } from '../../../owner/retry-mails.ts'
import type { Notice } from '../../account/notices.ts'
import type { Done, MemberVisit } from '../../account/page.ts'
import type { DataOf, DeskForms } from '../page.ts'
import { addressWith } from '../pager.ts'

export const MAIL_PATH = '/owner/mail'

export const MAIL_CALLS = {
  retry: 'POST /api/owner/mails/retry',
  drop: 'DELETE /api/owner/mails',
  test: 'POST /api/owner/mails/test',
}

type Changed = DataOf<typeof retryMails>

/** Why the first mail was left as it was. */
const LEFT: Record<Changed['left'][number]['reason'], Notice> = {
  unknown: 'mail-gone',
  sending: 'mail-sending',
  expired: 'mail-expired',
}

export const mailForms: DeskForms = {
  async retry(visit, { fields: { ids = '' } }) {
    const changed = await visit.perform<Changed>(MAIL_CALLS.retry, { mailIds: ids.split(' ') })
    return done(visit, changed, 'mail-retried')
  },
  async drop(visit, { fields: { id = '' } }) {
    return done(visit, await visit.perform<Changed>(MAIL_CALLS.drop, { mailIds: [id] }), 'mail-dropped')
  },
  async test(visit) {
    await visit.perform(MAIL_CALLS.test)
    return { to: listOf(visit), notice: 'test-mailed' }
  },
}

function done(visit: MemberVisit, { done, left }: Changed, notice: Notice): Done {
  const [first] = left
  return { to: listOf(visit), notice: done.length === 0 && first ? LEFT[first.reason] : notice }
}

function listOf({ query }: MemberVisit): string {
  return addressWith(MAIL_PATH, { state: query.get('state') ?? '' })
}
