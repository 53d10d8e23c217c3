import type { SettingsReader } from './settings-reader.ts'
import { withoutSlash } from './without-slash.ts'

/** The credentials of this service at a sign-in provider, and the display name of the provider. */
interface ProviderClient {
  clientId: string
  clientSecret: string
  /** The host of the provider is displayed when this is undefined. */
  title: string | undefined
}

const GITHUB = { url: 'https://github.com', apiUrl: 'https://api.github.com' }

export function readCodehost(
  read: SettingsReader,
  production: boolean,
): (ProviderClient & { url: string; apiUrl: string }) | undefined {
  const client = readClient(read, 'CODEHOST')
  const protocols = providerProtocols(production)
  const url = withoutSlash(read.url('CODEHOST_URL', protocols, GITHUB.url))
  const apiUrl = withoutSlash(read.url('CODEHOST_API_URL', protocols, GITHUB.apiUrl))
  // With one of the two missing, the access tokens of one host would be sent to the other.
  if (client && url !== GITHUB.url && apiUrl === GITHUB.apiUrl) {
    read.fault('CODEHOST_API_URL', 'is missing: CODEHOST_URL is set. Gitea and Forgejo have it at /api/v1')
  }
  if (client && url === GITHUB.url && apiUrl !== GITHUB.apiUrl) {
    read.fault('CODEHOST_URL', 'is missing: CODEHOST_API_URL is set')
  }
  return client && { ...client, url, apiUrl }
}

export function readIdp(read: SettingsReader, production: boolean): (ProviderClient & { issuer: string }) | undefined {
  const client = readClient(read, 'IDP')
  const issuer = read.url('IDP_ISSUER', providerProtocols(production), 'https://accounts.google.com')
  return client && { ...client, issuer }
}

function readClient(read: SettingsReader, name: 'CODEHOST' | 'IDP'): ProviderClient | undefined {
  const clientId = read.text(`${name}_CLIENT_ID`, '')
  const clientSecret = read.secret(`${name}_CLIENT_SECRET`) ?? ''
  const title = read.name(`${name}_NAME`)
  if (!clientId && !clientSecret) return undefined
  if (!clientId) read.fault(`${name}_CLIENT_ID`, `is missing: ${name}_CLIENT_SECRET is set`)
  if (!clientSecret) read.fault(`${name}_CLIENT_SECRET`, `is missing: ${name}_CLIENT_ID is set`)
  return { clientId, clientSecret, title }
}

export function readGithub(
  read: SettingsReader,
  production: boolean,
): { username: string; token: string; apiUrl: string } | undefined {
  const username = read.text('GITHUB_USERNAME', '')
  const token = read.secret('GITHUB_TOKEN')
  const apiUrl = read.url('GITHUB_API_URL', providerProtocols(production), 'https://api.github.com/graphql')
  return username && token ? { username, token, apiUrl } : undefined
}

/** In development a provider may use plain HTTP. */
function providerProtocols(production: boolean): string[] {
  return production ? ['https:'] : ['https:', 'http:']
}
