// `npm run demo`: starts Portico and an OpenID provider on this machine, to try the sign-in through a provider at
// /log-in without an account elsewhere. The provider accepts any name and password.
import { once } from 'node:events'
import { loadConfig } from '../src/config/config.ts'

// oidc-provider prints warnings about settings for production. They do not apply to the demo.
Object.assign(console, { warn() {}, info() {} })
const { default: Provider } = await import('oidc-provider')

// With `.env`. The address is that of this machine, whatever BASE_URL says.
const port = portOfService()
const portico = `http://localhost:${port}`
const providerPort = port < 65_535 ? port + 1 : port - 1
const issuer = `http://localhost:${providerPort}`
const client = { client_id: 'portico-demo', client_secret: 'only-for-this-machine' }

const provider = new Provider(issuer, {
  clients: [{ ...client, redirect_uris: [`${portico}/api/oauth/idp`] }],
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['given_name', 'family_name', 'preferred_username'],
  },
  conformIdTokenClaims: false,
  cookies: { keys: ['only-for-this-machine'] },
  findAccount: (_context, name) => ({
    accountId: name,
    claims: () => ({
      sub: name,
      email: name.includes('@') ? name : `${name.toLowerCase().replace(/[^a-z0-9]+/g, '.')}@example.com`,
      email_verified: true,
      given_name: name.split('@')[0] ?? name,
      family_name: 'of the demo',
      preferred_username: name.split('@')[0] ?? name,
    }),
  }),
})
// The pages of the provider import a font from another host. The demo makes no external requests.
provider.use(async (context, next) => {
  await next()
  if (typeof context.body === 'string') context.body = context.body.replace(/@import url\([^)]*\);?/g, '')
})
try {
  await once(provider.listen(providerPort, '127.0.0.1'), 'listening')
} catch (error) {
  process.stderr.write(`The demo provider needs port ${providerPort} beside PORT: ${(error as Error).message}\n`)
  process.exit(1)
}
process.stdout.write(`The demo provider listens on ${issuer}. Log in through it at ${portico}/log-in.\n`)

Object.assign(process.env, {
  PORT: String(port),
  BASE_URL: portico,
  IDP_ISSUER: issuer,
  IDP_NAME: 'the demo provider',
  IDP_CLIENT_ID: client.client_id,
  IDP_CLIENT_SECRET: client.client_secret,
})
const { main } = await import('../src/cli/main.ts')
await main(['serve'])

function portOfService(): number {
  try {
    return loadConfig().port
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
}
