import { createApp } from './app.ts'
import { environment, readConfig } from './config.ts'
import { createLog } from './log.ts'
import { assemble, type Portico } from './portico.ts'
import { explained } from './start-failure.ts'

// When stopping: how long requests under way may take, and when it is over in any case.
const REQUEST_LIMIT = 5_000
const DRAIN_LIMIT = 9_000

export const serve = explained(async () => {
  const config = readConfig(environment())
  const log = createLog(config)
  const portico = await assemble(config, log)
  const app = await createApp(portico)
  onceAskedToStop(async (reason) => {
    log.info(`${reason}: finishing what is under way`)
    setTimeout(() => process.exit(1), DRAIN_LIMIT).unref()
    setTimeout(() => app.server.server.closeAllConnections(), REQUEST_LIMIT).unref()
    app.drain()
    await app.server.close()
    await portico.close()
    log.info('stopped')
    process.exit(0)
  })
  // In development the folder is watched, and a closed terminal should end what was started in it.
  if (config.mode === 'production') process.on('SIGHUP', () => app.refresh())
  const { host, port, baseUrl } = config
  await app.server.listen({ host, port, listenTextResolver: (address) => `Listening on ${address}` })
  log.info({ where: whatIsWhere(portico) }, `Portico is ready at ${baseUrl}`)
  if (config.mode === 'production' && baseUrl.startsWith('http://localhost')) {
    log.warn('BASE_URL is not set: tokens and mails name localhost')
  }
})

function onceAskedToStop(stop: (reason: string) => Promise<void>) {
  let asked = false
  const ask = (reason: string) => {
    if (!asked) void stop(reason)
    asked = true
  }
  process.on('SIGTERM', ask)
  process.on('SIGINT', ask)
  // `npm start` runs us through a shell that does not pass signals on: when it is gone, we were meant to go too.
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid
    const watch = setInterval(() => {
      if (process.ppid !== parent) ask('npm is gone')
    }, 250)
    watch.unref()
  }
}

function whatIsWhere({ config, providers }: Portico): Record<string, string> {
  const { baseUrl, database, mail, github, rateLimits } = config
  const titles = Object.values(providers).flatMap((provider) => provider?.title ?? [])

  return {
    data: database.engine === 'sqlite' ? `SQLite in ${database.file}` : 'PostgreSQL',
    mail: mail.smtpUrl ? 'by SMTP' : `kept in the mailbox: ${baseUrl}/dev/mailbox (SMTP_URL is not set)`,
    'sign-in':
      titles.length > 0
        ? `with passwords, ${titles.join(' and ')}`
        : 'with passwords only (CODEHOST_CLIENT_ID and IDP_CLIENT_ID are not set)',
    graph: github
      ? `of the contributions of ${github.username}`
      : 'none (GITHUB_USERNAME and GITHUB_TOKEN are not both set)',
    limits: rateLimits ? 'on' : 'off (RATE_LIMITS=on turns them on)',
    accounts: `${baseUrl}/sign-up and ${baseUrl}/log-in`,
    API: `${baseUrl}/docs (${baseUrl}/api/openapi.json)`,
  }
}
