import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createApp } from '../app.ts'
import type { Config } from '../config/config.ts'
import { assemble, type Portico } from '../portico.ts'
import { DRAIN_LIMIT_MS, exitWith, IDLE_GRACE_MS, onceAskedToStop, REQUEST_LIMIT_MS } from './stopping.ts'

/** Serves in this process until it is told to stop. */
export async function startInstance(config: Config, log: Logger, { isFirst }: { isFirst: boolean }) {
  // Without a listener, SIGHUP ends a process that is still starting.
  if (config.mode === 'production') process.on('SIGHUP', ignoreSignal)
  const portico = await assemble(config, log)
  const app = createApp(portico)
  onceAskedToStop(async (reason) => {
    log.info(`${reason}: finishing what is under way`)
    setTimeout(() => process.exit(1), DRAIN_LIMIT_MS).unref()
    setTimeout(() => app.server.destroyConnections(), REQUEST_LIMIT_MS).unref()
    app.drain()
    // Load balancers that ask /readyz send their requests elsewhere before connections are refused.
    await sleep(config.drainSeconds * 1000)
    await app.server.close(IDLE_GRACE_MS)
    await portico.close()
    log.info('stopped')
    await exitWith(0, log)
  })
  // In development the folder is watched, and a closed terminal should end what was started in it.
  if (config.mode === 'production') process.off('SIGHUP', ignoreSignal).on('SIGHUP', () => app.refresh())
  const { host, port, baseUrl } = config
  log.info(`Listening on ${await app.server.listen({ host, port })}`)
  await app.opened
  process.send?.('opened')
  if (!isFirst) return
  log.info({ where: whatIsWhere(portico) }, `Portico is ready at ${baseUrl}`)
  for (const warning of config.warnings) log.warn(warning)
  // In the background: a mail server that is away stops nothing but mail.
  void portico.courier.check()
}

function ignoreSignal(): void {}

function whatIsWhere({ config, providers }: Portico): Record<string, string> {
  const { port, baseUrl, database, mail, github, rateLimits, workers } = config
  const titles = Object.values(providers).flatMap((provider) => provider?.title ?? [])
  return {
    data: database.engine === 'sqlite' ? `SQLite in ${database.file}` : 'PostgreSQL',
    mail: mail.smtpUrl ? 'by SMTP' : `kept in the mailbox: http://localhost:${port}/dev/mailbox (SMTP_URL is not set)`,
    'sign-in':
      titles.length > 0
        ? `with passwords, ${titles.join(' and ')}`
        : 'with passwords only (CODEHOST_CLIENT_ID and IDP_CLIENT_ID are not set)',
    graph: github
      ? `of the contributions of ${github.username}`
      : 'none (GITHUB_USERNAME and GITHUB_TOKEN are not both set)',
    limits: rateLimits ? 'on' : 'off (RATE_LIMITS=on turns them on)',
    ...(workers > 1 && { workers: String(workers) }),
    accounts: `${baseUrl}/sign-up and ${baseUrl}/log-in`,
    API: `${baseUrl}/docs (${baseUrl}/api/openapi.json)`,
  }
}
