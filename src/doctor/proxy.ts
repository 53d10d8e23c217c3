import type { Config } from '../config/config.ts'
import { openClock } from '../database/clock.ts'
import { openKeyedHash } from '../database/secrets.ts'
import { createAddressMatcher } from '../http/client-address.ts'
import { createDiagnosticTokens } from '../http/diagnostic-token.ts'
import { DOCTOR_HEADER, DOCTOR_PATH, type SeenRequest } from '../http/doctor-hook.ts'
import { fault, type Observation, ok, skipped, warning } from './finding.ts'
import { needsTables } from './needs-tables.ts'
import { parseJson, visit } from './visit.ts'

/** An address for documentation (RFC 5737), which no visitor has. */
export const FORGED_ADDRESS = '192.0.2.1'
const APPEND = 'In nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'

/**
 * Sends a request through BASE_URL and lets the service tell how it arrived: from which peer, and which address the
 * rate limits would count. The request has a forged X-Forwarded-For, as an attacker's would.
 */
export const checkProxy = needsTables(async (database, { config, signal }) => {
  const clock = await openClock(database)
  const token = createDiagnosticTokens(await openKeyedHash(database.query), clock.now).issue()
  const headers = { [DOCTOR_HEADER]: token, 'X-Forwarded-For': FORGED_ADDRESS }
  const response = await visit(`${config.baseUrl}${DOCTOR_PATH}`, { headers, signal }).catch(() => undefined)
  const seen = response?.status === 200 ? (parseJson(response.body) as SeenRequest | undefined) : undefined
  return seen?.peer ? observeProxy(seen, config) : [skipped('no service with this database responds at BASE_URL')]
})

export function observeProxy(
  { peer, client, host, forwardedFor }: SeenRequest,
  { baseUrl, trustedProxies }: Pick<Config, 'baseUrl' | 'trustedProxies'>,
): Observation[] {
  const isTrusted = createAddressMatcher(trustedProxies)(peer)
  const isUnchanged = forwardedFor?.trim() === FORGED_ADDRESS
  const namesClient = forwardedFor !== undefined && !isUnchanged
  // Portico speaks plain HTTP, so there is a proxy in front of an https address.
  const isProxied = namesClient || baseUrl.startsWith('https:')
  const observations: Observation[] = []
  if (isUnchanged && isTrusted) {
    observations.push(
      fault(
        `the X-Forwarded-For that a visitor sends arrives unchanged from ${peer}, which is in TRUSTED_PROXIES: visitors can choose the address that the limits count`,
        `Let the proxy add the address of its client. ${APPEND}`,
      ),
    )
  } else if (isProxied && !namesClient) {
    observations.push(
      fault(
        `the proxy at ${peer} does not add the address of its client to X-Forwarded-For: all visitors count as one address`,
        APPEND,
      ),
    )
  } else if (isProxied && !isTrusted) {
    observations.push(
      fault(
        `the request came from ${peer}, which is not in TRUSTED_PROXIES: all visitors count as one address`,
        `If it is your proxy, set TRUSTED_PROXIES=${[...trustedProxies, peer].join(',')}`,
      ),
    )
  }
  const { hostname } = new URL(baseUrl)
  if (URL.parse(`http://${host}`)?.hostname !== hostname) {
    observations.push(warning(`the proxy changes the header Host to ${host}`, 'In nginx: proxy_set_header Host $host;'))
  }
  if (observations.length > 0) return observations
  return [
    ok(isProxied ? `${peer} is a trusted proxy${whoWeAre(client)}` : `there is no proxy in front${whoWeAre(client)}`),
  ]
}

/** The forged address counts if this machine is itself a trusted proxy, as with a proxy on the same machine. */
function whoWeAre(client: string): string {
  return client === FORGED_ADDRESS ? '' : `, and the limits count this machine as ${client}`
}
