import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { CleanedUp } from './clean-up.ts'
import { cleanUp } from './clean-up.ts'
import { applyFault, type Fault, listenOnLoopback } from './local-servers.ts'

const PADDED_ROWS = 800

export interface BreachedList {
  /** The value of BREACHED_PASSWORDS_URL. */
  url: string
  requests: { path: string; headers: IncomingHttpHeaders }[]
  /** What is wrong with the next responses. */
  fault: Fault
}

/** A range API as Have I Been Pwned has it: the passwords of the list, and rows with the count 0 as padding. */
export async function startBreachedList(
  test: CleanedUp,
  passwords: string[],
  { padding = [] as string[], lowerCase = false } = {},
): Promise<BreachedList> {
  const list: BreachedList = { url: '', requests: [], fault: undefined }
  const server = await listenOnLoopback(async (request, response) => {
    list.requests.push({ path: request.url ?? '', headers: request.headers })
    if (await applyFault(response, list.fault)) return
    const prefix = request.url?.slice('/range/'.length) ?? ''
    const rows = [...rowsOf(passwords, prefix, 73), ...rowsOf(padding, prefix, 0)]
    while (rows.length < PADDED_ROWS) rows.push(`${randomBytes(18).toString('hex').slice(1).toUpperCase()}:0`)
    const body = rows.join('\r\n')
    response.writeHead(200, { 'content-type': 'text/plain' }).end(lowerCase ? body.toLowerCase() : body)
  })
  cleanUp(test, () => server.close())
  list.url = `${server.url}/range/`
  return list
}

function rowsOf(passwords: string[], prefix: string, count: number): string[] {
  const digests = passwords.map((password) => createHash('sha1').update(password).digest('hex').toUpperCase())
  return digests.filter((digest) => digest.startsWith(prefix)).map((digest) => `${digest.slice(5)}:${count}`)
}
