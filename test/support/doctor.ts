import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import tls from 'node:tls'
import { type Config, readConfig } from '../../src/config/config.ts'
import { type ExamineOptions, examine } from '../../src/doctor/examine.ts'
import type { Finding, Observation } from '../../src/doctor/finding.ts'
import { runProgram } from './child.ts'
import { type CleanedUp, cleanUp, temporaryFolder } from './clean-up.ts'
import { withDatabaseTimeout } from './service.ts'

// The limit of a check only keeps a test from hanging.
export const LIMIT_MS = 60_000

/** Settings of a service that nothing responds for, without content. */
export const QUIET = { BASE_URL: 'http://localhost:9', PORT: '9', CONTENT_DIR: '/nowhere' }

/** The configuration of a service in development, unless the settings say otherwise. */
export function configOf(env: Record<string, string>): Config {
  return withDatabaseTimeout(readConfig({ NODE_ENV: 'test', ...env }))
}

/** Everything that the doctor finds with these settings, in this process. */
export function examineWith(env: Record<string, string>, options: ExamineOptions = {}): Promise<Finding[]> {
  return examine(configOf(env), { limitMs: LIMIT_MS, ...options })
}

/** Asserts that one of these observations has this status, message and remedy. */
export function assertFound(
  observations: (Observation & { check?: string })[],
  status: Observation['status'],
  message: RegExp,
  remedy?: RegExp,
): void {
  const found = observations.find((each) => message.test(each.message))
  assert.ok(found, `${message} was not found in ${JSON.stringify(observations, undefined, 2)}`)
  assert.equal(found.status, status, found.message)
  if (remedy) assert.match(found.remedy ?? '', remedy)
}

/** Asserts that the doctor finds nothing to mend and nothing to look at. */
export function assertHealthy(findings: Finding[]): void {
  assert.deepEqual(
    findings.filter(({ status }) => status === 'fault' || status === 'warning'),
    [],
  )
}

/** A self-signed certificate for localhost that expires after this number of days, and its key. */
export async function createCertificate(test: CleanedUp, days: number): Promise<{ key: string; certificate: string }> {
  const folder = await temporaryFolder(test)
  const [key, first, certificate] = ['key', 'first', 'certificate'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  await runProgram(test, 'openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', first])
  // `openssl req` refuses a negative number of days.
  await runProgram(test, 'openssl', ['x509', '-in', first, '-signkey', key, '-days', String(days), '-out', certificate])
  return { key: await readFile(key, 'utf8'), certificate: await readFile(certificate, 'utf8') }
}

/** Trusts these certificates until the end of the test. */
export function trust(test: CleanedUp, ...certificates: string[]): void {
  const trusted = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trusted, ...certificates])
  cleanUp(test, () => tls.setDefaultCACertificates(trusted))
}

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
