// A process of its own in which each connection logs in once, and then only exchanges its refresh token for the next
// one, like many clients whose access tokens have all expired.
import { bytesOf, Connection } from './connection.ts'
import { readJob } from './job.ts'
import { tokensIn, withTokens } from './refresh-tokens.ts'
import { Tally } from './tally.ts'

const { url, connections, seconds, requests, refresh: how } = await readJob()
if (!how) throw new Error('the job has no refresh')
const { request: template, tokens: paths } = how
const { host } = new URL(url)
const clients = await Promise.all(Array.from({ length: connections }, (_, place) => logIn(place)))
const tally = new Tally(seconds)
await Promise.all(clients.map((client) => refresh(client).catch((error) => tally.fail(String(error)))))
for (const { connection } of clients) connection.close()
tally.report()

interface Client {
  connection: Connection
  tokens: Record<string, string>
}

async function logIn(place: number): Promise<Client> {
  const connection = await Connection.open(url)
  const request = requests[place % requests.length]
  if (!request) throw new Error('no request for the log-in')
  const { status, body } = await connection.send(bytesOf(request, host))
  if (status !== 200) throw new Error(`the log-in responded with ${status} ${body}`)
  return { connection, tokens: tokensIn(body, paths) }
}

async function refresh({ connection, tokens }: Client) {
  while (!tally.isOver) {
    const request = bytesOf(withTokens(template, tokens), host)
    const since = performance.now()
    const response = await connection.send(request)
    tally.count(since, response)
    if (response.status !== 200) return
    tokens = { ...tokens, ...tokensIn(response.body, paths) }
  }
}
