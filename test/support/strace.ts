import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { cleanUp } from './clean-up.ts'
import { ensureInstalled } from './debian-package.ts'

/**
 * Traces system calls of all threads of a running process, with further options of strace(1), into a file. Ends with the
 * result when tracing has begun. Each line of the file begins with the id of its thread.
 */
export async function trace(test: Pick<TestContext, 'after'>, pid: number, file: string, options: string[]) {
  const strace = spawn(
    await ensureInstalled('/usr/bin/strace', 'strace'),
    ['-f', '-o', file, ...options, '-p', String(pid)],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = once(strace, 'close')
  let said = ''
  strace.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  /** The process goes on untraced, and the file is complete. */
  async function stop(): Promise<void> {
    strace.kill('SIGINT')
    await ended
  }
  cleanUp(test, stop)
  while (!/attached/.test(said)) {
    if (strace.exitCode !== null) throw new Error(`strace has ended: ${said}`)
    await Promise.race([once(strace.stderr, 'data'), ended])
  }
  return { stop }
}
