import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { text } from 'node:stream/consumers'

interface Options {
  input?: string
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** The program is killed after this time. */
  limitMs?: number
}

const LIMIT_MS = 15 * 60_000

/** The output of a program that runs to its end with this standard input. */
export async function output(program: string, args: string[], options: Options = {}): Promise<string> {
  const { input = '', limitMs = LIMIT_MS, ...where } = options
  const child = spawn(program, args, {
    ...where,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  // A program that ends before it has read its input reports the reason by its exit code.
  child.stdin.on('error', () => {}).end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const name = `${basename(program)} ${args.at(0)}`
  if (code === null) throw new Error(`${name} was killed, perhaps after its limit of ${limitMs} ms`)
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${stderr || stdout}`)
  return stdout
}
