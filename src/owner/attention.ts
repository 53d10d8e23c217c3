import type { ContentReport } from '../content/check-content.ts'
import { isLow, readableSize } from '../lib/disk-space.ts'

export const ATTENTION_KINDS = [
  'no-instance',
  'disk-low',
  'server-errors',
  'mails-failed',
  'mails-late',
  'webhooks-off',
  'webhooks-failing',
  'content-missing',
  'content-faults',
] as const

/** Something that an owner should look at. */
export interface Attention {
  kind: (typeof ATTENTION_KINDS)[number]
  message: string
  /** The page of the desk that tells more. */
  path: string
}

export interface SiteFacts {
  mails: { waiting: number; failed: number; oldestWaitingSeconds: number }
  requests: { lastHour: number; errors: number }
  diskFreeBytes: number | null
  diskTotalBytes: number | null
}

interface OtherFacts {
  /** The number of processes that serve. */
  instances: number
  content: Pick<ContentReport, 'exists' | 'faults'>
  /** Webhooks that were switched off because they failed, and those that fail and are still tried. */
  webhooks: { off: number; failing: number }
}

/** More than this many things are not counted. */
export const MAX_PENDING = 1000
const LATE_SECONDS = 15 * 60
const MAX_ERROR_RATE = 0.01

const HEALTH = '/owner/health'
const MAIL = '/owner/mail'
const WEBHOOKS = '/owner/webhooks'
const CONTENT = '/owner/content'

/** Such as "16 minutes" or "3 hours". */
function waitOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.floor(minutes / 60)} hours`
}

/** The problems that need an owner, the most urgent first. Empty when there is none. */
export function attentionTo(site: SiteFacts, { instances, content, webhooks }: OtherFacts): Attention[] {
  const { mails, requests, diskFreeBytes: free, diskTotalBytes: total } = site
  const found: (Attention | false)[] = [
    instances === 0 && {
      kind: 'no-instance',
      message: 'No running service has reported in the last three minutes',
      path: HEALTH,
    },
    free !== null &&
      total !== null &&
      isLow({ freeBytes: free, totalBytes: total }) && {
        kind: 'disk-low',
        message: `Only ${readableSize(free)} are left on the disk`,
        path: HEALTH,
      },
    requests.errors > 0 &&
      requests.errors >= requests.lastHour * MAX_ERROR_RATE && {
        kind: 'server-errors',
        message: `${requests.errors} of ${requests.lastHour} responses in the last hour were errors of the service`,
        path: HEALTH,
      },
    mails.failed > 0 && {
      kind: 'mails-failed',
      message: `${mails.failed} ${mails.failed === 1 ? 'mail has' : 'mails have'} failed permanently`,
      path: MAIL,
    },
    mails.oldestWaitingSeconds >= LATE_SECONDS && {
      kind: 'mails-late',
      message: `A mail has waited for delivery for ${waitOf(mails.oldestWaitingSeconds)}`,
      path: `${MAIL}?state=waiting`,
    },
    webhooks.off > 0 && {
      kind: 'webhooks-off',
      message: `${webhooks.off} ${webhooks.off === 1 ? 'webhook was' : 'webhooks were'} switched off after failures`,
      path: WEBHOOKS,
    },
    webhooks.failing > 0 && {
      kind: 'webhooks-failing',
      message: `${webhooks.failing} ${webhooks.failing === 1 ? 'webhook does' : 'webhooks do'} not accept events`,
      path: WEBHOOKS,
    },
    !content.exists && { kind: 'content-missing', message: 'There is no content folder', path: CONTENT },
    content.faults.length > 0 && {
      kind: 'content-faults',
      message: `The content has ${content.faults.length} ${content.faults.length === 1 ? 'fault' : 'faults'}`,
      path: CONTENT,
    },
  ]
  return found.filter((item) => item !== false)
}
