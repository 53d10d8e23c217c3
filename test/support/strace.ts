import { once } from 'node:events'
import { startChild, untilPrinted } from './child.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { ensureInstalled } from './debian-package.ts'

/**
 * Traces system calls of all threads of a running process, with further options of strace(1), into a file. Ends with the
 * result when tracing has begun. Each line of the file begins with the id of its thread.
 */
export async function trace(test: CleanedUp, pid: number, file: string, options: string[]) {
  const program = await ensureInstalled('/usr/bin/strace', 'strace')
  const parameters = ['-f', '-o', file, ...options, '-p', String(pid)]
  const strace = startChild(test, program, parameters, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(strace, 'close')
  /** The process goes on untraced, and the file is complete. */
  async function stop(): Promise<void> {
    strace.kill('SIGINT')
    await ended
  }
  cleanUp(test, stop)
  await untilPrinted(strace, /attached/)
  return { stop }
}
