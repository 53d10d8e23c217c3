import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import type { Invocation } from './command.ts'

const DEBOUNCE_MS = 200

/**
 * Runs `serve` as a child process with NODE_ENV=development. The server itself watches the content folder. A change of
 * `.env` restarts the child.
 */
export async function run({ terminal }: Invocation): Promise<number> {
  let child = start()
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  // The folder is watched, because editors replace the file.
  const watcher = watch('.', (_event, file) => {
    if (file !== '.env' || isStopping) return
    clearTimeout(timer)
    timer = setTimeout(restart, DEBOUNCE_MS)
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      isStopping = true
      child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
    })
  }

  const { promise, resolve } = Promise.withResolvers<number>()
  follow(child)
  return promise.finally(() => watcher.close())

  async function restart() {
    terminal.note('.env has changed: starting again')
    const former = child
    former.removeAllListeners('exit')
    // A child that could not start, for example because of a fault in .env, has exited already.
    if (former.exitCode === null && former.signalCode === null) {
      former.kill('SIGTERM')
      await once(former, 'exit')
    }
    child = start()
    follow(child)
  }

  function follow(next: ChildProcess) {
    next.on('exit', (code) => {
      if (isStopping) resolve(code ?? 1)
      else if (code !== 0) terminal.note('The server has ended. It starts again when .env changes.')
      else resolve(0)
    })
  }
}

function start(): ChildProcess {
  const [, entry = ''] = process.argv
  return spawn(process.execPath, [entry, 'serve'], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'development' },
  })
}
