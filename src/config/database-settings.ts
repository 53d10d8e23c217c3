import { resolve } from 'node:path'
import { INVALID_URL, type SettingsReader } from './settings-reader.ts'

/** Transactions are short, and a client waits for the response. */
export const DATABASE_TIMEOUT_MS = 1500

export type DatabaseSettings = ({ engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }) & {
  /** How long a request waits for a connection, a statement or a lock. It is not a setting. */
  timeoutMs: number
}

export function readDatabase(read: SettingsReader, dataDir: string): DatabaseSettings {
  const url = read.secret('DATABASE_URL')
  const timeoutMs = DATABASE_TIMEOUT_MS
  if (!url) return { engine: 'sqlite', file: resolve(dataDir, 'portico.db'), timeoutMs }
  const isPostgres = /^postgres(ql)?:\/\//.test(url)
  // A fragment is the end of a password with "#" that begins with digits: those were taken for a port.
  if (isPostgres && URL.parse(url)?.hash === '') return { engine: 'postgres', url, timeoutMs }
  if (/^file:[^?#]*[^?#/]$/.test(url)) return { engine: 'sqlite', file: resolve(url.slice('file:'.length)), timeoutMs }
  read.fault(
    'DATABASE_URL',
    isPostgres ? INVALID_URL : 'must look like file:./data/portico.db or postgres://user:password@host/database',
  )
  return { engine: 'sqlite', file: '', timeoutMs }
}
