// `npm run demo`: Portico together with an OpenID provider on this machine, so that the whole sign-in through a provider
// can be tried at /log-in with no account anywhere. The provider takes any name and any password.
import { once } from 'node:events'

// The provider advises whoever runs it for real; here nobody does.
Object.assign(console, { warn() {}, info() {} })
const { default: Provider } = await import('oidc-provider')

const port = Number(process.env.PORT || 3000)
const portico = `http://localhost:${port}`
const issuer = `http://localhost:${port + 1}`
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
// Its pages would fetch a font from elsewhere; the demo stays on this machine.
provider.use(async (context, next) => {
  await next()
  if (typeof context.body === 'string') context.body = context.body.replace(/@import url\([^)]*\);?/g, '')
})
await once(provider.listen(port + 1, '127.0.0.1'), 'listening')

Object.assign(process.env, {
  IDP_ISSUER: issuer,
  IDP_NAME: 'the demo provider',
  IDP_CLIENT_ID: client.client_id,
  IDP_CLIENT_SECRET: client.client_secret,
})
await import('../src/main.js')
