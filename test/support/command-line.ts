import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startChild } from './child.ts'
import { type CleanedUp, temporaryFolder } from './clean-up.ts'

/** The file of the command `portico`. */
export const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))

export interface CommandResult {
  code: number | string
  stdout: string
  stderr: string
}

/**
 * Runs `portico` to its end, in an empty folder unless `cwd` names another, with these settings and nothing else of our
 * environment. `input` is written to stdin.
 */
export async function runPortico(
  test: CleanedUp,
  words: string[],
  { env = {}, cwd, input }: { env?: Record<string, string>; cwd?: string; input?: string } = {},
): Promise<CommandResult> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = startChild(test, process.execPath, [MAIN, ...words], {
    cwd: cwd ?? env.DATA_DIR ?? (await temporaryFolder(test)),
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const { stdin, stdout, stderr } = child
  assert.ok(stdin && stdout && stderr)
  // A command that does not read its input may have ended before.
  stdin.on('error', () => {}).end(input)
  const [[code, signal], printed, errors] = await Promise.all([once(child, 'close'), text(stdout), text(stderr)])
  return { code: code ?? signal, stdout: printed, stderr: errors }
}
