// `npm run dev`: Portico, started again at every saved file. The watcher of Node knows nothing of the npm that started it
// and would outlive it; this passes on that it is time to go.
import { spawn } from 'node:child_process'

const watcher = spawn(process.execPath, ['--watch', 'src/main.js'], { stdio: 'inherit' })
watcher.on('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => watcher.kill(signal))

// npm runs us through a shell that does not pass signals on.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) watcher.kill()
}, 250)
