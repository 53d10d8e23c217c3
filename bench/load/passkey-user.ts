// A process of its own in which each connection logs in once with a password, adds a passkey, and then only signs in
// with it: it asks for the options, signs the challenge, and sends the signature.
import { SoftwareAuthenticator } from '../../test/support/software-authenticator.ts'
import { bytesOf, Connection, type HttpResponse } from './connection.ts'
import { readJob } from './job.ts'
import { Tally } from './tally.ts'

const { url, connections, seconds, requests, origin } = await readJob()
if (!origin) throw new Error('the job has no origin')
const { host } = new URL(url)
const users = await Promise.all(Array.from({ length: connections }, (_, place) => withPasskey(place, origin)))
const tally = new Tally(seconds)
await Promise.all(users.map((user) => signIn(user).catch((error) => tally.fail(String(error)))))
for (const { connection } of users) connection.close()
tally.report()

interface User {
  connection: Connection
  authenticator: SoftwareAuthenticator
}

function send(connection: Connection, path: string, body: unknown, headers = {}): Promise<HttpResponse> {
  const json = { 'content-type': 'application/json', 'user-agent': 'bench/1.0', ...headers }
  return connection.send(bytesOf({ method: 'POST', path, headers: json, body: JSON.stringify(body) }, host))
}

function dataOf({ status, body }: HttpResponse) {
  if (status > 299) throw new Error(`${status} ${body}`)
  return JSON.parse(body).data
}

async function withPasskey(place: number, origin: string): Promise<User> {
  const connection = await Connection.open(url)
  const logIn = requests[place % requests.length]
  if (!logIn) throw new Error('no request for the log-in')
  const { accessToken, session } = dataOf(await connection.send(bytesOf(logIn, host)))
  const headers = { authorization: `Bearer ${accessToken}`, 'x-session-id': session.sessionId }
  const { options } = dataOf(await send(connection, '/api/passkeys/registration-options', {}, headers))
  const authenticator = new SoftwareAuthenticator(origin)
  dataOf(await send(connection, '/api/passkeys', { passkey: authenticator.create(options) }, headers))
  return { connection, authenticator }
}

async function signIn({ connection, authenticator }: User): Promise<void> {
  while (!tally.isOver) {
    const since = performance.now()
    const { options } = dataOf(await send(connection, '/api/log-in/passkey/options', {}))
    tally.count(since, await send(connection, '/api/log-in/passkey', { passkey: authenticator.get(options) }))
  }
}
