// Signs up, verifies, logs in, reads details, refreshes and logs out with the generated client for TypeScript.
import assert from 'node:assert/strict'
import {
  AccountApi,
  AuthMethod,
  Configuration,
  ErrorCode,
  FailureFromJSON,
  ResponseError,
  SessionsApi,
} from './client/index.js'

const { PORTICO_URL: basePath = '', PORTICO_EMAIL: email = '' } = process.env
const password = 'Correct-Horse-Battery-7'

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (error) => error,
  )
  assert.ok(error instanceof ResponseError, 'the call was not refused')
  return FailureFromJSON(await error.response.json()).code
}

async function mailedCode(): Promise<string> {
  const address = `${basePath}/dev/mailbox?to=${encodeURIComponent(email)}`
  const response = await fetch(address, { headers: { accept: 'application/json' } })
  const { mails } = (await response.json()) as { mails: { text: string }[] }
  return /^ {4}(\d{6})$/m.exec(mails[0]?.text ?? '')?.[1] ?? assert.fail('no mail')
}

const accounts = new AccountApi(new Configuration({ basePath }))
const created = await accounts.createAccount({
  createAccountRequest: { firstName: 'Ada', lastName: 'Lovelace', email, password, confirmPassword: password },
})
assert.ok(created.success && created.data.email === email)

const logInRequest = { email, password }
assert.equal(await codeOf(accounts.logIn({ logInRequest })), ErrorCode.EmailNotVerified)

const verified = await accounts.verifyEmail({ verifyEmailRequest: { email, verificationCode: await mailedCode() } })
assert.equal(verified.data.user.email, email)

const { data } = await accounts.logIn({ logInRequest })
const { sessionId } = data.session
const withToken = (accessToken: string) => new Configuration({ basePath, accessToken, apiKey: sessionId })

const { user } = (await new AccountApi(withToken(data.accessToken)).readProfile()).data
assert.deepEqual([user.email, user.dob, user.authMethod], [email, null, AuthMethod.Email])

const { data: pair } = await new SessionsApi(new Configuration({ basePath })).refreshToken({
  xSessionId: sessionId,
  refreshTokenRequest: { refreshToken: data.refreshToken },
})
const signedIn = withToken(pair.accessToken)
const { sessions } = (await new SessionsApi(signedIn).listSessions()).data
assert.deepEqual(
  sessions.map(({ location }) => location),
  [null, null],
)

assert.ok((await new SessionsApi(signedIn).logOut()).success)
assert.equal(await codeOf(new AccountApi(signedIn).readProfile()), ErrorCode.AuthenticationRequired)
