import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { freePort } from '../../test/support/free-port.ts'

/** A contender: a process that answers at an address, and is ended when it goes out of scope. */
export interface Server extends AsyncDisposable {
  url: string
  pid: number
  /** What it said before it died; nothing while it lives. */
  lastWords(): string
}

const PATIENCE = 60_000
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a file of this project as a process of its own, with these settings and nothing else of our environment. */
export async function startServer(file: string, env: Record<string, string>): Promise<Server> {
  const port = await freePort()
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../..', file)], {
    // Elsewhere, so that no `.env` of ours is read.
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000)
    })
  }
  const ended = once(child, 'close').then(() => running.delete(child))
  await accepting(port, () => {
    if (child.exitCode !== null) throw new Error(`${file} ended before it served:\n${said}`)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    lastWords: () => (child.exitCode === null ? '' : said),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      const limit = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(limit)
    },
  }
}

async function accepting(port: number, check: () => void): Promise<void> {
  const deadline = performance.now() + PATIENCE
  while (!(await accepts(port))) {
    check()
    if (performance.now() > deadline) throw new Error(`nobody listens on ${port}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => answer(true)).once('error', () => answer(false))
  })
}
