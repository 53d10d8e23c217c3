import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { startChild } from '../support/child.ts'
import { manualCleanUp } from '../support/clean-up.ts'
import { namedIn, type People, type Word } from './people.ts'
import type { FuzzRequest } from './requests.ts'

/** The request as one shell command. Values that only a running service issues are in variables, as in the README. */
export function curlOf({ method, path, headers, body }: FuzzRequest): string {
  const parts = ['curl', '-isg', '--path-as-is', '--max-time 10']
  parts.push(method === 'HEAD' ? '-I' : `-X ${method}`)
  for (const [name, value] of Object.entries(headers))
    parts.push(`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`)
  if (body === undefined) return [...parts, `"$API"${quoted(path)}`].join(' ')
  if (!('content-type' in headers)) parts.push("-H 'Content-Type:'")
  const isText = typeof body === 'string' && /^[\x20-\x7e]*$/.test(body)
  const data = isText ? `--data-binary ${quoted(body)}` : '--data-binary @-'
  return [...(isText ? [] : [`${printf(body)} |`]), ...parts, data, `"$API"${quoted(path)}`].join(' ')
}

/** The bytes as one shell command: curl's telnet writes them unchanged. */
export function rawCurlOf(bytes: string): string {
  return `(${printf(Buffer.from(bytes, 'latin1'))}; sleep 1) | curl -s --max-time 10 "telnet:\${API#http:}"`
}

/** Runs the command, and returns its output. */
export async function tryLine(line: string, url: string, people: People): Promise<string> {
  const variables = namedIn(line.replaceAll(/"\$([A-Z]+)(\d?)"/g, (_, word, who) => `~${word}${who || 0}~`)).map(
    ({ word, who }) => [variable(word, who), people.lookUp(word, who)] as const,
  )
  const env = { ...process.env, ...Object.fromEntries(variables), API: url }
  // As standard input, because it may be longer than an argument can be.
  const { owner, run } = manualCleanUp()
  const bash = startChild(owner, 'bash', [], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  assert.ok(bash.stdin && bash.stdout)
  bash.stdin.end(`${line}\n`)
  return text(bash.stdout)
    .then((response) => response || 'nothing came back')
    .finally(run)
}

function quoted(words: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(words)
  return isPlain ? named(`'${words.replaceAll("'", `'\\''`)}'`) : named(`$'${escaped(Buffer.from(words, 'latin1'))}'`)
}

/** Ends the quotes for each variable, and begins them again after it. */
function named(line: string): string {
  const open = line.includes("$'") ? "$'" : "'"
  return namedIn(line).reduce(
    (changed, { name, word, who }) => changed.replace(name, `'"$${variable(word, who)}"${open}`),
    line,
  )
}

function variable(word: Word, who: number): string {
  return who === 0 ? word : `${word}${who}`
}

function printf(bytes: string | Buffer): string {
  return named(`printf '${escaped(Buffer.from(bytes)).replaceAll('%', '%%')}'`)
}

function escaped(bytes: Buffer): string {
  return [...bytes]
    .map((byte) =>
      byte < 0x20 || byte > 0x7e || byte === 0x27 || byte === 0x5c
        ? `\\x${byte.toString(16).padStart(2, '0')}`
        : String.fromCharCode(byte),
    )
    .join('')
}
