import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { readSecret } from '../../src/database/secrets.ts'
import { exportPeople } from '../../src/people/export-people.ts'
import { readFirebaseParameters } from '../../src/people/firebase-parameters.ts'
import type { Format } from '../../src/people/format-names.ts'
import { type ImportOptions, importPeople } from '../../src/people/import-people.ts'
import { openPeople } from '../../src/people/read-people.ts'
import { createSecretBox } from '../../src/proofs/secret-box.ts'
import { type CleanedUp, temporaryFolder } from './clean-up.ts'
import type { Service } from './service.ts'

/** The export of another system, made by the system itself or by its documentation. */
export const exportOf = (name: string) => join(import.meta.dirname, '../fixtures/people', name)

export interface Remark {
  line: number
  isRefused: boolean
  reason: string
}

/** Imports a file into the database of a service, as the command does. */
export async function importFile(
  { portico }: Pick<Service, 'portico'>,
  path: string,
  { from, hashConfig, ...options }: Partial<ImportOptions> & { from?: Format; hashConfig?: string } = {},
) {
  const { database, clock, config } = portico
  const secretBox = createSecretBox(await readSecret(database.query, 'encryption-key'), config.encryptionKey)
  const remarks: Remark[] = []
  const file = await openPeople(path, from)
  const result = await importPeople({ database, clock, secretBox }, file, {
    withRoles: false,
    isDryRun: false,
    firebase: hashConfig ? await readFirebaseParameters(hashConfig) : undefined,
    onLine: (line, isRefused, reason) => remarks.push({ line, isRefused, reason }),
    onProgress() {},
    ...options,
  })
  return { ...result, format: file.format, remarks }
}

/** The export of everybody. */
export async function exported({ portico }: Pick<Service, 'portico'>, format: 'ndjson' | 'csv' = 'ndjson') {
  const parts: string[] = []
  const write = async (text: string) => void parts.push(text)
  await exportPeople(portico.database, write, { format, withoutHashes: false, onProgress() {} })
  return parts.join('')
}

/** A file with this content in a folder of its own. */
export async function fileWith(test: CleanedUp, content: string | Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(test), 'people')
  await writeFile(path, content)
  return path
}

/** A file of so many people, without holding them in memory. */
export async function fileOfMany(test: CleanedUp, count: number, passwordHash: string): Promise<string> {
  const path = join(await temporaryFolder(test), 'people.ndjson')
  const stream = createWriteStream(path)
  for (let number = 1; number <= count; number++) {
    const names = { firstName: 'Ada', lastName: `Lovelace ${number % 1000}` }
    const record = { email: `person-${number}@example.com`, emailVerified: true, ...names, passwordHash }
    if (!stream.write(`${JSON.stringify(record)}\n`)) await new Promise((resolve) => stream.once('drain', resolve))
  }
  stream.end()
  await finished(stream)
  return path
}
