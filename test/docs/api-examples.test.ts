import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { type Credentials, codeFor, get, logIn, newEmail, post, registration, signUp } from '../support/api.ts'
import { type ReferenceCall, referenceCalls } from '../support/api-description.ts'
import { runProgram } from '../support/child.ts'
import { type CleanedUp, cleanUp, suiteCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { changeEmail, requestChange } from '../support/email-changes.ts'
import { freePort } from '../support/local-servers.ts'
import { ANY_PICTURE } from '../support/pictures.ts'
import { addApp, appCode, passFirstStep, passSecondStep } from '../support/second-factor.ts'
import { type Service, startService } from '../support/service.ts'

// Values of the examples.
const PASSWORD = 'Correct-Horse-Battery-7'
const EMAIL = 'ada@example.com'
const CODE = '493027'
const SESSION = 'b7e1a0c2-3f54-4a7e-8c19-5d2e6f90ab13'
const CHALLENGE = 'Zx3kq9eVb0m4sQ7w'
const ID = '0d2f8f63-51a7-4c1c-9d5e-7b0f3c1a2e44'
const UNDO_TOKEN = '5f0c2b9e7a1d4836b0e4c9d27f61a853'
const REFRESH_TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIzZjZjMWI1MiJ9.c2ln'

/** A signed-in person, and the values of the examples that a real program replaces. */
interface Setting extends Credentials {
  replaced: Record<string, string>
}

const ANYBODY = { accessToken: '', sessionId: '', replaced: {} }

async function somebody(service: Service): Promise<Setting> {
  const person = await signUp(service, { password: PASSWORD, confirmPassword: PASSWORD })
  return { ...person, replaced: { [EMAIL]: person.email, [REFRESH_TOKEN]: person.refreshToken } }
}

/** The same with an authenticator app. */
async function somebodyProtected(service: Service) {
  return addApp(service, await signUp(service, { password: PASSWORD, confirmPassword: PASSWORD }))
}

const protectedSetting = async (service: Service): Promise<Setting> => ({
  ...(await somebodyProtected(service)),
  replaced: {},
})

/** What must be true before a call can succeed, where it needs more than a session. */
const SETTINGS: Record<string, (service: Service) => Promise<Setting>> = {
  'POST /api/create-account': async () => ANYBODY,
  'POST /api/email-verification': async (service) => {
    const email = newEmail()
    await post(service, '/api/create-account', registration({ email }))
    return { ...ANYBODY, replaced: { [EMAIL]: email, [CODE]: await codeFor(service, email) } }
  },
  'POST /api/reset-password': async (service) => {
    const setting = await somebody(service)
    const email = setting.replaced[EMAIL] ?? ''
    await post(service, '/api/forgot-password', { email })
    return { ...setting, replaced: { [EMAIL]: email, [CODE]: await codeFor(service, email) } }
  },
  'POST /api/log-in/code/verify': async (service) => {
    const setting = await somebody(service)
    const email = setting.replaced[EMAIL] ?? ''
    await post(service, '/api/log-in/code', { email })
    return { ...setting, replaced: { [EMAIL]: email, [CODE]: await codeFor(service, email) } }
  },
  'POST /api/change-email/confirm': async (service) => {
    const [setting, email] = [await somebody(service), newEmail()]
    await requestChange(service, setting, email)
    return { ...setting, replaced: { [CODE]: await codeFor(service, email) } }
  },
  'POST /api/change-email/undo': async (service) => {
    const person = await signUp(service)
    return { ...ANYBODY, replaced: { [UNDO_TOKEN]: (await changeEmail(service, person)).undoToken } }
  },
  'POST /api/change-username': async (service) => {
    // The person of an earlier example has the name.
    return { ...(await somebody(service)), replaced: { 'ada.lovelace': 'countess' } }
  },
  'DELETE /api/sessions': async (service) => {
    const setting = await somebody(service)
    const other = await logIn(service, { email: setting.replaced[EMAIL] ?? '', password: PASSWORD })
    return { ...setting, replaced: { [SESSION]: other.sessionId } }
  },
  'POST /api/log-in/second-factor': async (service) => {
    const owner = await somebodyProtected(service)
    const challenge = await passFirstStep(service, owner)
    return { ...ANYBODY, replaced: { [CHALLENGE]: challenge, [CODE]: appCode(owner.secret) } }
  },
  'POST /api/second-factor': protectedSetting,
  'POST /api/authenticator-app/confirm': async (service) => {
    const setting = await somebody(service)
    const { body } = await post(service, '/api/authenticator-app', undefined, { as: setting })
    return { ...setting, replaced: { [CODE]: appCode(body.data.secret) } }
  },
  'DELETE /api/authenticator-app': protectedSetting,
  'POST /api/recovery-codes': protectedSetting,
  'DELETE /api/remembered-browsers': async (service) => {
    const owner = await somebodyProtected(service)
    const proof = { code: appCode(owner.secret), rememberBrowser: true }
    await passSecondStep(service, await passFirstStep(service, owner), proof)
    const { body } = await get(service, '/api/remembered-browsers', { as: owner })
    return { ...owner, replaced: { [ID]: body.data.browsers[0].id } }
  },
}

// Calls that cannot succeed here. No sign-in provider and no calendar are set up.
const REFUSED: Record<string, number> = {
  // The person of the example has a password.
  'POST /api/reauthenticate/code': 400,
  'GET /api/oauth/codehost/start': 404,
  'GET /api/oauth/codehost': 404,
  'GET /api/oauth/idp/start': 404,
  'GET /api/oauth/idp': 404,
  'POST /api/linked-accounts': 404,
  'DELETE /api/linked-accounts': 404,
  // No authenticator has made the passkeys of the examples.
  'POST /api/log-in/passkey': 401,
  'POST /api/passkeys': 400,
  'POST /api/passkeys/rename': 404,
  'DELETE /api/passkeys': 404,
  // The password is the only way to sign in.
  'DELETE /api/password': 400,
  'GET /api/github-contributions': 500,
  'GET /contributions.svg': 404,
}

type Run = (test: CleanedUp, call: ReferenceCall, setting: Setting) => Promise<{ status: number; body: string }>

const LANGUAGES: Record<string, Run> = { curl: runCurl, TypeScript: runTypescript }

function withReplaced(code: string, { replaced }: Setting): string {
  return Object.entries(replaced).reduce((text, [value, other]) => text.replaceAll(value, other), code)
}

async function runCurl(test: CleanedUp, { curl }: ReferenceCall, setting: Setting) {
  const folder = await temporaryFolder(test)
  await writeFile(join(folder, 'picture.png'), ANY_PICTURE)
  const output = await runProgram(test, 'sh', ['-euc', `${withReplaced(curl, setting)} -sS -w '\\n%{http_code}'`], {
    cwd: folder,
    env: { ...process.env, ACCESS_TOKEN: setting.accessToken, SESSION_ID: setting.sessionId },
  })
  const end = output.lastIndexOf('\n')
  return { status: Number(output.slice(end)), body: output.slice(0, end) }
}

const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => (...values: unknown[]) => unknown

async function runTypescript(_test: CleanedUp, { typescript }: ReferenceCall, setting: Setting) {
  const responses: Response[] = []
  const recorded = async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request)
    responses.push(response.clone())
    return response
  }
  const location = { assign: (url: string) => recorded(url, { redirect: 'manual' }) }
  const program = new AsyncFunction(
    'fetch',
    'location',
    'file',
    'accessToken',
    'sessionId',
    // The address of a page has no result that a program could wait for.
    withReplaced(typescript, setting).replace(/^location/, 'await location'),
  )
  const file = new File([ANY_PICTURE], 'picture.png', { type: 'image/png' })
  await program(recorded, location, file, setting.accessToken, setting.sessionId)
  const [response] = responses
  assert.ok(response, typescript)
  return { status: response.status, body: await response.text() }
}

for (const [language, run] of Object.entries(LANGUAGES)) {
  describe(`the examples of the references in ${language}`, () => {
    const suite = suiteCleanUp()
    let service: Service
    before(async () => {
      const port = String(await freePort())
      service = await startService('sqlite', { PORT: port, BASE_URL: `http://127.0.0.1:${port}` })
      cleanUp(suite, () => service.close())
    })

    for (const path of ['/docs/account-api', '/docs/content-api']) {
      it(`do at ${path} what the description says, unchanged except for codes, tokens, ids and names`, async (t) => {
        const calls = await referenceCalls(service, path)
        assert.ok(calls.length > 7)
        for (const call of calls) {
          const setting = await (SETTINGS[call.name] ?? somebody)(service)
          const { status, body } = await run(t, call, setting)
          assert.equal(status, REFUSED[call.name] ?? call.status, `${call.name}: ${body}`)
        }
      })
    }
  })
}
