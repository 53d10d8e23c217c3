import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createApp } from '../app.ts'
import type { Config } from '../config/config.ts'
import { tcpListener } from '../http/listener.ts'
import { listenForScrapes } from '../metrics/serve-metrics.ts'
import { assemble, type Portico } from '../portico.ts'
import { releaseStartMemory } from './start-memory.ts'
import {
  CONNECTION_DESTROY_AFTER_MS,
  exitWith,
  IDLE_GRACE_MS,
  INSTANCE_EXIT_AFTER_MS,
  onShutdownRequest,
  SIGTERM_EXIT_CODE,
} from './stopping.ts'
import { sendToPrimary, workerListener } from './worker-listener.ts'
import { shareMetrics } from './worker-metrics.ts'

// Loading the site keeps the event loop busy. Requests that came during the start are served before that.
const OPENING_DELAY_MS = 50

/** Serves in this process until a shutdown is requested. `worker` is the number of this worker, if it is one. */
export async function startInstance(config: Config, log: Logger, worker: number | undefined) {
  // The default action of SIGHUP would terminate the process while it starts.
  if (config.mode === 'production') process.on('SIGHUP', ignoreSignal)
  // The kernel discards a signal to process 1 of a container that has no handler (pid_namespaces(7)).
  if (process.pid === 1) process.on('SIGTERM', endBeforeStart)
  const portico = await assemble(config, log)
  const { metrics } = portico
  const scrape = metrics && (worker ? shareMetrics(metrics) : metrics.scrape)
  const app = createApp(portico, scrape)
  process.off('SIGTERM', endBeforeStart)
  let isStopping = false
  onShutdownRequest(async (reason) => {
    isStopping = true
    log.info(`${reason}: finishing what is under way`)
    setTimeout(() => process.exit(1), INSTANCE_EXIT_AFTER_MS).unref()
    setTimeout(() => app.server.destroyConnections(), CONNECTION_DESTROY_AFTER_MS).unref()
    app.drain()
    // During this time load balancers see 503 at /readyz and stop sending requests to this instance.
    await sleep(config.drainSeconds * 1000)
    await app.server.close(IDLE_GRACE_MS)
    if (worker && metrics) sendToPrimary({ snapshot: await metrics.snapshot() })
    // A start may still be opening the site. If the database closed meanwhile, the start would fail and exit with 1.
    await app.openSite().catch(() => {})
    await portico.close()
    log.info('stopped')
    await exitWith(0, log)
  })
  // In development the content folder is watched instead, and SIGHUP of a closed terminal terminates the process.
  if (config.mode === 'production') process.off('SIGHUP', ignoreSignal).on('SIGHUP', () => app.refresh())
  const listener = worker ? workerListener() : tcpListener(config)
  const isFirst = !worker || worker === 1
  // Other workers serve already. A health check that reached this one before it is ready would find the instance
  // unready.
  if (!isFirst) await app.openSite()
  if (isStopping) return
  try {
    log.info(`Listening on ${await app.server.listen(listener)}`)
  } catch (error) {
    // Removes the report of this process from the database. Others would count it as running until the report is old.
    await portico.close()
    throw error
  }
  // With several workers, the primary process listens for scrapes.
  if (scrape && !worker && config.metrics?.at) {
    log.info(`Metrics at ${await listenForScrapes(config.metrics.at, scrape, log)}`)
  }
  await sleep(OPENING_DELAY_MS)
  if (isStopping) return
  await app.openSite()
  if (isStopping) return
  releaseStartMemory()
  sendToPrimary('opened')
  if (!isFirst) return
  log.info({ where: summarize(portico) }, `Portico is ready at ${config.baseUrl}`)
  for (const warning of config.warnings) log.warn(warning)
  // Not awaited: an unreachable mail server delays mail only.
  void portico.deliveryWorker.check()
}

function ignoreSignal(): void {}

/** Ends with the exit code that shells report for SIGTERM. Nothing has been served that could be finished. */
function endBeforeStart(): void {
  process.exit(SIGTERM_EXIT_CODE)
}

/** The lines that the start logs: database, mail, sign-in and addresses. */
function summarize({ config, providers, webauthn }: Portico): Record<string, string> {
  const { port, baseUrl, database, mail, github, rateLimits, workers } = config
  const titles = Object.values(providers).flatMap((provider) => provider?.title ?? [])
  const waysIn = [
    'passwords',
    ...(webauthn.relyingParty.isDomain ? ['passkeys'] : []),
    ...(config.mailedCodeLogIn ? ['mailed codes'] : []),
    ...titles,
  ].join(', ')
  return {
    data: database.engine === 'sqlite' ? `SQLite in ${database.file}` : 'PostgreSQL',
    mail: mail.smtpUrl
      ? 'by SMTP'
      : `kept in the mailbox: ${new URL(`http://localhost:${port}`).origin}/dev/mailbox (SMTP_URL is not set)`,
    'sign-in': titles.length > 0 ? waysIn : `${waysIn} (CODEHOST_CLIENT_ID and IDP_CLIENT_ID are not set)`,
    graph: github
      ? `of the contributions of ${github.username}`
      : 'none (GITHUB_USERNAME and GITHUB_TOKEN are not both set)',
    limits: rateLimits ? 'on' : 'off (RATE_LIMITS=on turns them on)',
    ...(workers > 1 && { workers: String(workers) }),
    accounts: `${baseUrl}/sign-up and ${baseUrl}/log-in`,
    API: `${baseUrl}/docs (${baseUrl}/api/openapi.json)`,
  }
}
