import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { runProgram } from '../support/child.ts'
import { onBothEngines, type Service } from '../support/service.ts'

async function guideOf(service: Service): Promise<string> {
  const { status, body } = await get(service, '/docs/account-api.md')
  assert.equal(status, 200)
  return body
}

function exampleIn(guide: string): string {
  return /```\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
}

describe('the guide in account-api.md', () => {
  onBothEngines(
    (service) => {
      it('describes the authentication, and all lifetimes', async () => {
        const guide = await guideOf(service)
        assert.ok(guide.indexOf('## Authentication') < guide.indexOf('### `POST /api/create-account`'))
        for (const fact of [
          '| `Authorization` | `Bearer` and the access token |',
          '| `X-Session-Id` | the id of the session that the token was issued for |',
          '| Access token | 15 minutes |',
          '| Refresh token | 30 days, and once.',
          'accepted for 30 seconds more',
          '| Session | 36 hours from its beginning',
        ]) {
          assert.ok(guide.includes(fact), fact)
        }
      })

      it('has a worked example that works when pasted', async (t) => {
        const example = exampleIn(await guideOf(service))
        const script = example.replace('API=http://localhost:3000', `API=${service.url}`)
        const stdout = await runProgram(t, 'sh', ['-euc', script])
        const messages = [...stdout.matchAll(/"message":"([^"]*)"/g)].map(([, message]) => message)
        assert.deepEqual(messages, [
          'Account created successfully. Please check your email for the verification code',
          'User details retrieved successfully',
          'Sessions retrieved successfully',
        ])
      })

      it('is in the OpenAPI document too', async () => {
        const { body } = await get(service, '/api/openapi.json')
        assert.ok((await guideOf(service)).includes(body['x-guide']))
      })
    },
    { SESSION_LIFETIME: '36h' },
  )
})

describe('the guide in account-api.md, in production', () => {
  onBothEngines(
    (service) => {
      it('takes the code from the mail, and does not mention the development mailbox', async () => {
        const guide = await guideOf(service)
        assert.ok(exampleIn(guide).includes('API=https://site.example\n'))
        assert.ok(exampleIn(guide).includes('\nCODE=123456\n'))
        assert.ok(!guide.includes('/dev/'))
      })
    },
    { NODE_ENV: 'production', BASE_URL: 'https://site.example', SMTP_URL: 'smtp://127.0.0.1:9' },
  )
})
