// A process of its own in which each connection logs in once, and then does nothing but exchange its refresh token for the
// next one, as a crowd of clients would whose access tokens have all run out.
import { bytesOf, Connection } from './connection.ts'
import { readJob } from './job.ts'
import { Tally } from './tally.ts'

const { url, connections, seconds, requests } = await readJob()
const { host } = new URL(url)
const clients = await Promise.all(Array.from({ length: connections }, (_, place) => logIn(place)))
const tally = new Tally(seconds)
await Promise.all(clients.map((client) => refresh(client).catch((error) => tally.fail(String(error)))))
for (const { connection } of clients) connection.close()
tally.tell()

interface Client {
  connection: Connection
  sessionId: string
  refreshToken: string
}

async function logIn(place: number): Promise<Client> {
  const connection = await Connection.open(url)
  const request = requests[place % requests.length]
  if (!request) throw new Error('nobody to log in')
  const { status, body } = await connection.send(bytesOf(request, host))
  if (status !== 200) throw new Error(`log-in answered ${status} ${body}`)
  const { session, refreshToken } = JSON.parse(body).data
  return { connection, sessionId: session.sessionId, refreshToken }
}

async function refresh({ connection, sessionId, refreshToken }: Client) {
  while (!tally.isOver) {
    const request = bytesOf(
      {
        method: 'POST',
        path: '/api/auth/refresh-token',
        headers: { 'content-type': 'application/json', 'x-session-id': sessionId },
        body: JSON.stringify({ refreshToken }),
      },
      host,
    )
    const since = performance.now()
    const answer = await connection.send(request)
    tally.count(since, answer)
    if (answer.status !== 200) return
    refreshToken = JSON.parse(answer.body).data.refreshToken
  }
}
