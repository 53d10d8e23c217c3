import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanUp } from './clean-up.ts'

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants

export interface NamedPipe {
  /** For the process that writes. */
  writeEnd: number
  /** Reads what is there, without waiting. */
  read(): string
  /** The reader goes away: whoever writes gets EPIPE. */
  closeReader(): void
}

/** A real pipe whose reader reads when the test says so. `stdio: 'pipe'` of node:child_process is a pair of sockets. */
export function createNamedPipe(test: TestContext): NamedPipe {
  const folder = mkdtempSync(join(tmpdir(), 'portico-pipe-'))
  cleanUp(test, () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const readEnd = openSync(path, O_RDONLY | O_NONBLOCK)
  const writeEnd = openSync(path, O_WRONLY)
  const open = new Set([readEnd, writeEnd])
  cleanUp(test, () => open.forEach((fd) => void closeSync(fd)))
  const bytes = Buffer.alloc(1024 * 1024)
  return {
    writeEnd,
    read() {
      try {
        return bytes.toString('utf8', 0, readSync(readEnd, bytes))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return ''
        throw error
      }
    },
    closeReader() {
      open.delete(readEnd)
      closeSync(readEnd)
    },
  }
}
