import type { Config } from '../../config/config.ts'
import { ACCESS_SECONDS, REFRESH_SECONDS } from '../../sessions/tokens.ts'

/** The guide to authentication with the account API, as markdown: headers, lifetimes and an example. */
export function accountApiGuide({ baseUrl, sessionLifetimeMs, reauthenticateAfterMs, mail }: Config): string {
  // The fences have no language, so that a start does not need the highlighter.
  return `## Authentication

Signed-in calls carry two headers:

| Header | Value |
|---|---|
| \`Authorization\` | \`Bearer\` and the access token |
| \`X-Session-Id\` | the id of the session that the token was issued for |

Both values come from \`POST /api/email-verification\`, \`POST /api/log-in\` or the callback of a sign-in provider, as \`data.accessToken\` and \`data.session.sessionId\`.

| What | How long it works |
|---|---|
| Access token | ${formatDuration(ACCESS_SECONDS * 1000)} |
| Refresh token | ${formatDuration(REFRESH_SECONDS * 1000)}, and once. The token that was just replaced is accepted for 30 seconds more and gives the same successor. Any later use of a replaced token ends the session |
| Session | ${formatDuration(sessionLifetimeMs)} from its beginning, whatever its activity |

\`POST /api/auth/refresh-token\` takes the refresh token in the body and the session id in \`X-Session-Id\`, without \`Authorization\`. It gives a new access token and a new refresh token; the session id stays.

A call without valid credentials gets 401 with the header \`WWW-Authenticate: Bearer\`. A header that is missing is named in \`errors\`. Otherwise the token is invalid or expired, or the session has ended: refresh once, and when that gets 401 too, log in again.

### Two-step sign-in

A log-in to an account with two-step sign-in gets 403 with the code \`second_factor_required\` instead of tokens. \`data.challenge\` goes to \`POST /api/log-in/second-factor\`, together with \`code\` from the authenticator app, with \`recoveryCode\` or with \`passkey\`; \`data.means\` says which of them the account has. The response is that of \`POST /api/log-in\`. A challenge has five tries in 10 minutes and works once; when it gets \`invalid_challenge\`, log in again. Sign-in providers and the verification of an address do the same.

### Passkeys

A page gives the options of \`POST /api/log-in/passkey/options\` to \`navigator.credentials.get\` and sends the credential to \`POST /api/log-in/passkey\`, which responds like \`POST /api/log-in\`. \`PublicKeyCredential.parseRequestOptionsFromJSON\`, \`parseCreationOptionsFromJSON\` and \`credential.toJSON()\` convert between JSON and the objects of the browser. Passkeys work on pages of ${baseUrl} only. A passkey counts as both factors, so no challenge for two-step sign-in follows.

### Proofs of identity

Operations that change how an account is protected need a recent proof of identity: a session that began within ${formatDuration(reauthenticateAfterMs)}, or \`POST /api/reauthenticate\` within that time. Otherwise they get 403 with the code \`reauthentication_required\`, and \`data.means\` lists what the account can prove its owner with: ask the person for one of them, send it to \`POST /api/reauthenticate\`, and make the call again. Access tokens have the time and the methods of the proofs as \`auth_time\` and \`amr\`.

### A worked example

From the registration to an authenticated call and a refresh, with curl in a POSIX shell. ${mail.smtpUrl ? 'Enter the code from the mail where the example has 123456.' : `In development the code is in the mailbox at ${baseUrl}/dev/mailbox, which only this machine can open.`}

\`\`\`
API=${baseUrl}
EMAIL=ada.$(date +%s)@example.com
PASSWORD=Analytical-Engine-1
JSON='Content-Type: application/json'
field() { sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }

# Register. A mail with a code of six digits is sent to the address.
curl -sw '\\n' "$API/api/create-account" -H "$JSON" -d '{
  "firstName": "Ada", "lastName": "Lovelace", "email": "'$EMAIL'",
  "password": "'$PASSWORD'", "confirmPassword": "'$PASSWORD'" }'

# Verify the address with the code.
# The response has the token pair and the session id.
${codeLine(mail.smtpUrl === undefined)}
RESPONSE=$(curl -s "$API/api/email-verification" -H "$JSON" \\
  -d '{"email":"'$EMAIL'","verificationCode":"'$CODE'"}')
ACCESS_TOKEN=$(echo "$RESPONSE" | field accessToken)
REFRESH_TOKEN=$(echo "$RESPONSE" | field refreshToken)
SESSION_ID=$(echo "$RESPONSE" | field sessionId)

# An authenticated call.
curl -sw '\\n' "$API/api/user-details" \\
  -H "Authorization: Bearer $ACCESS_TOKEN" -H "X-Session-Id: $SESSION_ID"

# When the access token has expired, or before: refresh,
# and keep both new tokens.
RESPONSE=$(curl -s "$API/api/auth/refresh-token" -H "$JSON" \\
  -H "X-Session-Id: $SESSION_ID" -d '{"refreshToken":"'$REFRESH_TOKEN'"}')
ACCESS_TOKEN=$(echo "$RESPONSE" | field accessToken)
REFRESH_TOKEN=$(echo "$RESPONSE" | field refreshToken)
curl -sw '\\n' "$API/api/sessions" \\
  -H "Authorization: Bearer $ACCESS_TOKEN" -H "X-Session-Id: $SESSION_ID"
\`\`\``
}

function codeLine(hasMailbox: boolean): string {
  if (!hasMailbox) return 'CODE=123456'
  return `CODE=$(curl -s "$API/dev/mailbox?to=$EMAIL" -H 'Accept: application/json' \\
  | grep -oE ' {4}[0-9]{6}' | head -1 | tr -d ' ')`
}

const UNITS: [word: string, milliseconds: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** A duration in the largest unit that divides it. */
function formatDuration(milliseconds: number): string {
  const [word, unit] = UNITS.find(([, unit]) => milliseconds % unit === 0) ?? ['second', 1000]
  const count = milliseconds / unit
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
