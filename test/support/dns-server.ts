import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type CleanedUp, cleanUp } from './clean-up.ts'

/** A DNS server with these TXT records, by name. Returns its address. */
export async function startDnsServer(test: CleanedUp, texts: Record<string, string>): Promise<string> {
  const server = createSocket('udp4')
  server.on('message', (query, { port }) => server.send(answerTo(query, texts), port, '127.0.0.1'))
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(test, () => server.close())
  return `127.0.0.1:${server.address().port}`
}

/** The response of a DNS server to a query for a TXT record (RFC 1035, section 4.1). */
function answerTo(query: Buffer, texts: Record<string, string>): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const text = texts[labels.join('.')]
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(text === undefined ? 0 : 1, 6)
  header.writeUInt32BE(0, 8)
  const question = query.subarray(12, at + 5)
  if (text === undefined) return Buffer.concat([header, question])
  // A pointer to the name of the question, type TXT, class IN, a lifetime, and the length of the data.
  const record = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, text.length + 1, text.length])
  return Buffer.concat([header, question, record, Buffer.from(text)])
}
