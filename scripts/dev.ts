// `npm run dev`: runs Portico under `node --watch`, which restarts it when a file of its code is saved. Node does not watch
// `.env`, and does not notice when npm ends, so this script does both.
import { type ChildProcess, spawn } from 'node:child_process'
import { unwatchFile, watchFile } from 'node:fs'

const POLL_INTERVAL_MS = 250
const ENV_FILE = '.env'

let isRestarting = false
let watcher = start()

function start(): ChildProcess {
  const child = spawn(process.execPath, ['--watch', 'src/main.js', 'serve'], { stdio: 'inherit' })
  child.on('exit', (code) => {
    if (!isRestarting) process.exit(code ?? 1)
    isRestarting = false
    watcher = start()
  })
  return child
}

function stop(signal: NodeJS.Signals): void {
  unwatchFile(ENV_FILE)
  isRestarting = false
  watcher.kill(signal)
}

watchFile(ENV_FILE, { interval: POLL_INTERVAL_MS }, () => {
  isRestarting = true
  watcher.kill()
})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))

// npm runs this script through a shell that does not forward signals. A changed parent process id shows that the shell
// has ended.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) stop('SIGTERM')
}, POLL_INTERVAL_MS)
