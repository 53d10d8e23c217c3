import { join } from 'node:path'
import { createAdmitHash } from './accounts/admit-hash.ts'
import { createRefuseBreachedPassword } from './accounts/breached-passwords.ts'
import { type Codes, createCodes } from './accounts/codes.ts'
import { createEmailUndos } from './accounts/email-undos.ts'
import { createInvitations } from './accounts/invitations.ts'
import { hashQueueCapacity, hashQueueLength, observeHashes, setMaxHashThreads } from './accounts/password-hash.ts'
import { createFindSignerKey } from './accounts/signer-keys.ts'
import { createAccountStore } from './accounts/store.ts'
import type { Config } from './config/config.ts'
import { type ContentStatus, createContentStatus } from './content/content-status.ts'
import { openClock } from './database/clock.ts'
import { openDatabase } from './database/database.ts'
import { createInstanceReport } from './database/instances.ts'
import type { LeaseWorker } from './database/lease-worker.ts'
import { openKeyedHash, readSecret } from './database/secrets.ts'
import { createWebhookEvents } from './events/webhook-events.ts'
import type { FactorParts } from './factors/parts.ts'
import { startHousekeeping } from './housekeeping.ts'
import { clientIp, rateLimitAddress } from './http/client-address.ts'
import { createReadClientInfo } from './http/client-info.ts'
import { Cookie } from './http/cookies.ts'
import { createDiagnosticTokens, type DiagnosticTokens } from './http/diagnostic-token.ts'
import type { Observer } from './lib/observer.ts'
import { createRequestTally, type RequestTally } from './lib/request-tally.ts'
import { createLimits } from './limits/limits.ts'
import { startReturningUnused } from './limits/return-unused.ts'
import type { Log } from './logging/log.ts'
import { type DeliveryWorker, startDeliveryWorker } from './mail/delivery-worker.ts'
import { createMailbox, type Mailbox } from './mail/mailbox.ts'
import { createMessages } from './mail/messages.ts'
import { createOutbox } from './mail/outbox.ts'
import { createSiteIdentity, type SiteIdentity } from './mail/site-identity.ts'
import { smtpTransport } from './mail/transport.ts'
import type { Metrics } from './metrics/metrics.ts'
import { createHandshakes, HANDSHAKE_SECONDS } from './oauth/handshakes.ts'
import type { OAuthParts } from './oauth/parts.ts'
import { createProviders, titleOfProvider } from './oauth/providers.ts'
import { createAuthenticatorApps } from './proofs/authenticator-app.ts'
import { createGuessLimit } from './proofs/guess-limit.ts'
import { createRecoveryCodes } from './proofs/recovery-codes.ts'
import { createRefusedProofs } from './proofs/refused-proofs.ts'
import { createRememberedBrowsers } from './proofs/remembered-browsers.ts'
import { CHALLENGE_SECONDS, createSecondFactorChallenges } from './proofs/second-factor-challenge.ts'
import { createSecretBox, type SecretBox } from './proofs/secret-box.ts'
import { createWebAuthn } from './proofs/webauthn.ts'
import { createWebAuthnChallenges } from './proofs/webauthn-challenges.ts'
import { type Activity, createActivity } from './sessions/activity.ts'
import { createFindActiveSession, type FindActiveSession } from './sessions/authenticate.ts'
import { createBrowserSession } from './sessions/browser-session.ts'
import { type KeyRing, openKeyRing } from './sessions/key-ring.ts'
import { createTokens } from './sessions/tokens.ts'
import { startWebhookWorker } from './webhooks/delivery-worker.ts'
import { createSendWebhook } from './webhooks/send.ts'

/** The parts of the running service. `assemble` creates them once and operations receive the parts they need. */
export interface Portico extends OAuthParts, FactorParts {
  codes: Codes
  keys: KeyRing
  findActiveSession: FindActiveSession
  activity: Activity
  deliveryWorker: DeliveryWorker
  webhookWorker: LeaseWorker
  secretBox: SecretBox
  /** Stores mails in development when SMTP_URL is not set; undefined otherwise. */
  mailbox: Mailbox | undefined
  diagnosticTokens: DiagnosticTokens
  requestTally: RequestTally
  contentStatus: ContentStatus
  log: Log
  /** Undefined when metrics are off. */
  metrics: Metrics | undefined
  observer: Observer | undefined
  /** Finishes background work, writes buffered session activity and events, and closes the database. */
  close(): Promise<void>
}

export async function assemble(config: Config, log: Log): Promise<Portico> {
  const metrics = config.metrics && (await import('./metrics/metrics.ts')).createMetrics(config)
  const observer = metrics?.observer
  const database = await openDatabase(config.database, log, { observer })
  metrics?.watch(database)
  if (observer) observeHashes(observer.hashed)
  const hash = await openKeyedHash(database.query)
  const secretBox = createSecretBox(await readSecret(database.query, 'encryption-key'), config.encryptionKey)
  setMaxHashThreads(config.workers)
  const keys = await openKeyRing(database)
  const activity = createActivity(database, log)
  const siteIdentity = createSiteIdentity(config.baseUrl)
  const { mailbox, transport } = openMail(config, siteIdentity, log)
  const deliveryWorker = startDeliveryWorker(database, transport, siteIdentity, log)
  const outbox = createOutbox(database, deliveryWorker.wake)
  const messages = createMessages(siteIdentity)
  const clock = await openClock(database)
  const send = createSendWebhook(config)
  const webhookWorker = startWebhookWorker({ database, clock, log, outbox, messages, secretBox, send, observer })
  const tokens = createTokens(keys, config.baseUrl, clock)
  const lifetimeMs = config.sessionLifetimeMs
  const findActiveSession = createFindActiveSession({ database, activity }, { lifetimeMs })
  const https = config.baseUrl.startsWith('https:')
  const ipOf = clientIp(config.trustedProxies)
  const providers = await createProviders(config)
  const requestTally = createRequestTally()
  const instanceReport = createInstanceReport(database, () => ({
    ...requestTally.lastHour(),
    hashQueue: hashQueueLength(),
    hashCapacity: hashQueueCapacity(),
  }))
  // A database that cannot be written does not prevent the start. Housekeeping tries again.
  await instanceReport.write().catch((error) => log.warn({ err: error }, 'could not report this instance'))
  const limits = createLimits(config.rateLimits, database, hash, {
    observer,
    // The other workers may not have reported yet.
    otherProcesses: () => Math.max(config.workers - 1, instanceReport.others()),
  })
  const returningUnused = startReturningUnused(limits, instanceReport)
  const housekeeping = startHousekeeping({ database, keys, clock, tokens, instanceReport, log })
  const refusedProofs = createRefusedProofs(database, log)
  const guessLimit = createGuessLimit(database, hash)

  return {
    config,
    log,
    metrics,
    observer,
    database,
    clock,
    keys,
    activity,
    mailbox,
    siteIdentity,
    deliveryWorker,
    outbox,
    messages,
    secretBox,
    webhookWorker,
    webhookEvents: createWebhookEvents(database, clock, webhookWorker.wake),
    tokens,
    findActiveSession,
    browserSession: createBrowserSession({ database, clock, tokens, findActiveSession }, { https, lifetimeMs }),
    providers,
    providerTitle: (name) => titleOfProvider(providers, name),
    webauthn: createWebAuthn(config.baseUrl, siteIdentity, createWebAuthnChallenges(hash, clock)),
    handshakes: createHandshakes(database, hash),
    handshakeCookie: new Cookie('portico_sign_in', { seconds: HANDSHAKE_SECONDS, https }),
    store: createAccountStore(database),
    codes: createCodes(database, hash),
    emailUndos: createEmailUndos(database, hash),
    invitations: createInvitations(database, hash),
    limits,
    ipOf,
    clientInfoOf: createReadClientInfo(ipOf),
    refusedProofs,
    authenticatorApps: createAuthenticatorApps({ database, clock, secretBox, guessLimit }),
    recoveryCodes: createRecoveryCodes(hash, guessLimit),
    guessLimit,
    secondFactorChallenges: createSecondFactorChallenges(database, hash),
    secondFactorCookie: new Cookie('portico_second_factor', { seconds: CHALLENGE_SECONDS, https }),
    rememberedBrowsers: createRememberedBrowsers(database, hash, { https }),
    noticeCookie: new Cookie('portico_notice', { seconds: 60, https }),
    addressOf: (request) => rateLimitAddress(ipOf(request)),
    requestTally,
    contentStatus: createContentStatus(config),
    diagnosticTokens: createDiagnosticTokens(hash, clock.now),
    admitHash: createAdmitHash(limits, ipOf),
    findSignerKey: createFindSignerKey(database.query, secretBox),
    refuseBreachedPassword: createRefuseBreachedPassword(config.breachedPasswordsUrl, log),
    async close() {
      metrics?.stop()
      await housekeeping.stop()
      await refusedProofs.stop()
      await activity.stop()
      await returningUnused.stop()
      await Promise.all([deliveryWorker.stop(), webhookWorker.stop()])
      await instanceReport.remove().catch(() => {})
      await database.close()
    },
  }
}

/** Mails are sent by SMTP or, in development without SMTP_URL, stored in the mailbox. */
function openMail({ mail, dataDir }: Config, siteIdentity: SiteIdentity, log: Log) {
  const { smtpUrl, from } = mail
  if (!smtpUrl) {
    const mailbox = createMailbox(join(dataDir, 'mailbox'), log)
    return { mailbox, transport: mailbox }
  }
  const sender = () => ({ name: from.name ?? siteIdentity.title(), address: from.address })
  return { mailbox: undefined, transport: smtpTransport(smtpUrl, sender, mail) }
}
