import type { Config } from '../config/config.ts'
import type { ReadOnlyDatabase } from '../database/read-only.ts'
import { observeExpiry } from './certificate.ts'
import { type Check, fault, type Observation, ok, warning } from './finding.ts'
import { parseJson, reasonOf, type Visit, visit } from './visit.ts'

const ROUTE = 'The proxy must pass every path of BASE_URL on to the port of the service.'

/** Opens BASE_URL as a visitor would, from this machine: does it lead to this service, and is TLS in order? */
export const checkAddress: Check = async ({ config, database, signal }) => {
  const { baseUrl } = config
  const health = await visit(`${baseUrl}/healthz`, { signal }).catch((error: unknown) => ({ error }))
  if ('error' in health) return [await explainFailure(config, health.error, signal)]
  if (health.status >= 500 && !(await isServingHere(config, signal))) return [notRunning(config)]
  if (health.status >= 300 && health.status < 400) return [redirected(baseUrl, health)]
  if ((parseJson(health.body) as { status?: string } | undefined)?.status !== 'ok') {
    return [fault(`${baseUrl}/healthz does not lead to Portico: it responds with ${health.status}`, ROUTE)]
  }
  const observations = [
    ...observeExpiry(baseUrl, health.certificateExpiresAt),
    ...observeHsts(baseUrl, health),
    ...(await observeReadiness(baseUrl, signal)),
    ...(database ? await observeKeys(baseUrl, database, signal) : []),
    ...(await observePlainHttp(baseUrl, signal)),
  ]
  return observations.length > 0 ? observations : [ok(`${baseUrl} leads to this service`)]
}

async function explainFailure(config: Config, error: unknown, signal: AbortSignal): Promise<Observation> {
  const { code, reason } = reasonOf(error)
  if (code === 'ECONNREFUSED' && !(await isServingHere(config, signal))) return notRunning(config)
  const remedy = /CERT|SIGNATURE/.test(code)
    ? 'Renew or replace the certificate of the proxy. For an authority of your own, set NODE_EXTRA_CA_CERTS.'
    : 'Check BASE_URL, the DNS of its host, the firewall, and that the proxy listens.'
  return fault(`${config.baseUrl} cannot be opened: ${reason}`, remedy)
}

function notRunning({ baseUrl, port }: Config): Observation {
  return warning(
    `the service does not respond, neither at ${baseUrl} nor at port ${port} of this machine`,
    'Start it and run this command again, with the same PORT and BASE_URL, to check the address and the proxy too.',
  )
}

/** Whether the service responds at its own port, without a proxy. */
async function isServingHere({ host, port }: Config, signal: AbortSignal): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return visit(`http://${name}:${port}/healthz`, { signal }).then(
    ({ status }) => status === 200,
    () => false,
  )
}

function redirected(baseUrl: string, { headers }: Visit): Observation {
  const target = URL.parse(headers.location ?? '', baseUrl)
  return fault(
    `${baseUrl} redirects to ${target?.origin ?? 'nowhere'}`,
    `BASE_URL must be the address that people end up at. If that is it, set BASE_URL=${target?.origin ?? baseUrl}`,
  )
}

function observeHsts(baseUrl: string, { headers }: Visit): Observation[] {
  if (!baseUrl.startsWith('https:') || headers['strict-transport-security']) return []
  return [warning('the header Strict-Transport-Security does not arrive', 'The proxy must not remove it.')]
}

async function observeReadiness(baseUrl: string, signal: AbortSignal): Promise<Observation[]> {
  const { status, body } = await visit(`${baseUrl}/readyz`, { signal })
  if (status === 200) return []
  const { status: reason } = (parseJson(body) ?? {}) as { status?: unknown }
  return [
    fault(
      `the service is not ready: ${String(reason ?? status)}`,
      'Its log tells why. After a failed write to the disk it must be restarted.',
    ),
  ]
}

/** Every Portico publishes its keys, so a key in common means the same database. */
async function observeKeys(baseUrl: string, { query }: ReadOnlyDatabase, signal: AbortSignal): Promise<Observation[]> {
  const { body } = await visit(`${baseUrl}/.well-known/jwks.json`, { signal })
  const { keys = [] } = (parseJson(body) ?? {}) as { keys?: { kid?: unknown }[] }
  // An empty database has no such table, and is not that of the service either.
  const own = await query
    .selectFrom('signing_keys')
    .select('kid')
    .execute()
    .catch(() => [])
  if (own.some(({ kid }) => keys.some((key) => key.kid === kid))) return []
  return [
    fault(
      `${baseUrl} leads to a Portico with another database`,
      'Run this command with the settings of the service, or correct BASE_URL or the proxy.',
    ),
  ]
}

async function observePlainHttp(baseUrl: string, signal: AbortSignal): Promise<Observation[]> {
  const { protocol, port, hostname } = new URL(baseUrl)
  return protocol === 'https:' && port === '' ? observeRedirect(`http://${hostname}/`, signal) : []
}

/** Whether plain HTTP redirects to https. A closed port is as safe. */
export async function observeRedirect(url: string, signal: AbortSignal): Promise<Observation[]> {
  const response = await visit(url, { signal }).catch(() => undefined)
  if (!response || response.headers.location?.startsWith('https://')) return []
  return [
    warning(
      `${url} does not redirect to https: it responds with ${response.status}`,
      'Let the proxy redirect every plain request to https.',
    ),
  ]
}
