// Runs every script of package.json whose name begins with "check:", all at the same time. Prints the output of each when it
// has ended, and fails if one of them fails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'

const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'))

async function passes(name: string): Promise<boolean> {
  // With a shell, because npm is a script on Windows, which only a shell can start.
  const child = spawn(`npm run --silent ${name} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  process.stdout.write(`${code === 0 ? '✔' : '✖'} ${name}\n${output}`)
  return code === 0
}

const results = await Promise.all(checks.map(passes))
process.exitCode = results.every(Boolean) ? 0 : 1
