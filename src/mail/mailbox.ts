import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../logging/log.ts'
import type { OutgoingMail, Transport } from './transport.ts'

export interface StoredMail extends OutgoingMail {
  id: string
  date: string
}

export interface Mailbox extends Transport {
  /** Newest first. */
  list(to?: string): Promise<StoredMail[]>
}

const MAX_KEPT_MAILS = 500

/** Replaces the mail server in development: writes each mail to the log and to a file. */
export function createMailbox(folder: string, log: Log): Mailbox {
  let sent = 0
  return {
    async send(mail) {
      const now = new Date()
      const stored: StoredMail = { id: randomUUID(), date: now.toISOString(), ...mail }
      // The number orders the mails of one millisecond.
      const order = String(sent++).padStart(9, '0')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // Written to a temporary file and renamed, so that a reader never sees a partial file.
      const file = join(folder, `${now.valueOf()}-${order}-${stored.id}.json`)
      await writeFile(`${file}.part`, JSON.stringify(stored), { mode: 0o600 })
      await rename(`${file}.part`, file)
      for (const old of (await files(folder)).slice(MAX_KEPT_MAILS)) await rm(join(folder, old), { force: true })
      log.info({ mail: { to: mail.to, subject: mail.subject, text: mail.text } }, 'mail kept in the mailbox')
    },
    async list(to) {
      const mails = await Promise.all((await files(folder)).map((file) => read(join(folder, file))))
      return mails.filter((mail) => mail !== undefined).filter((mail) => !to || mail.to === to.trim().toLowerCase())
    },
    close() {},
  }
}

async function files(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
}

async function read(file: string): Promise<StoredMail | undefined> {
  // A concurrent `send` may have deleted the file.
  return readFile(file, 'utf8').then(JSON.parse, () => undefined)
}
