// `npm run dev`: runs Portico under `node --watch`, which restarts it when a file is saved. The watcher does not notice
// when npm ends, so this script stops it.
import { spawn } from 'node:child_process'

const watcher = spawn(process.execPath, ['--watch', 'src/main.js', 'serve'], { stdio: 'inherit' })
watcher.on('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => watcher.kill(signal))

// npm runs this script through a shell that does not forward signals. A changed parent process id shows that the shell
// has ended.
const PARENT_POLL_INTERVAL_MS = 250
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) watcher.kill()
}, PARENT_POLL_INTERVAL_MS)
