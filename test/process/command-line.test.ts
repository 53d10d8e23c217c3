import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { COMMANDS } from '../../src/cli/commands.ts'
import { runProgram, startChild } from '../support/child.ts'
import { ensureInstalled } from '../support/install.ts'
import { MAIN, runPortico } from '../support/process.ts'

describe('portico', () => {
  const run = (t: TestContext, ...words: string[]) => runPortico(t, words)

  it('lists all commands without arguments, with --help and with help', async (t) => {
    for (const words of [[], ['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await run(t, ...words)
      assert.deepEqual([code, stderr], [0, ''])
      for (const { name, summary } of COMMANDS) assert.ok(stdout.includes(name) && stdout.includes(summary), name)
    }
  })

  it('describes the commands that begin with a word, and all of them as JSON', async (t) => {
    for (const words of [
      ['keys', '--help'],
      ['keys', '-h'],
      ['help', 'keys'],
    ]) {
      const { code, stdout, stderr } = await run(t, ...words)
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, /^ {2}keys list +List .*\n {2}keys rotate +Create .*\n\n/m)
      assert.doesNotMatch(stdout, /^ {2}mail/m)
    }
    const { commands } = JSON.parse((await run(t, 'help', '--json')).stdout)
    assert.deepEqual(commands, JSON.parse(JSON.stringify(COMMANDS)))
    assert.equal((await run(t, 'help', 'keys', 'list')).stdout, (await run(t, 'keys', 'list', '--help')).stdout)
  })

  it('describes each command with --help, within 120 columns, and runs nothing', async (t) => {
    for (const { name, summary, options = {} } of COMMANDS) {
      const { code, stdout, stderr } = await run(t, ...name.split(' '), '--help')
      assert.deepEqual([code, stderr], [0, ''], name)
      assert.ok(stdout.startsWith(`${summary}.\n`), name)
      for (const option of Object.keys(options)) assert.ok(stdout.includes(`--${option}`), `${name} --${option}`)
      assert.ok(
        stdout.split('\n').every((line) => line.length <= 120),
        name,
      )
    }
  })

  it('has summaries of one line without a full stop, and options that are described', () => {
    for (const { name, summary, options = {} } of COMMANDS) {
      assert.match(summary, /^[A-Z][^\n]{5,78}[^.\n]$/, name)
      for (const [option, { description }] of Object.entries(options)) {
        assert.match(description, /^[^A-Z\n][^\n]*[^.\n]$/, `${name} --${option}`)
      }
    }
  })

  const mistakes: [words: string[], message: RegExp][] = [
    [['srve'], /^There is no command "srve"\. Did you mean "serve"\?/],
    [['hlep'], /^There is no command "hlep"\. Did you mean "help"\?/],
    [['srve', '--help'], /^There is no command "srve"\. Did you mean "serve"\?/],
    [['serve', '--port=80'], /^Unknown option '--port': set PORT, in the environment or in \.env\nUsage: /],
    [['frobnicate'], /^There is no command "frobnicate"\. "portico --help" lists all\.\n$/],
    [['keys'], /^"keys" needs one more word: keys list, keys rotate/],
    [['keys', 'melt'], /^There is no command "keys melt"\. There are keys list, keys rotate/],
    [['content', 'chekc'], /^There is no command "content chekc"\. Did you mean "content check"\?/],
    [['version', '--jsno'], /^Unknown option '--jsno'\nUsage: portico version \[options\]/],
    [['version', 'please'], /^Unexpected argument "please"\nUsage: /],
    [['completion'], /^"portico completion" needs SHELL\nUsage: /],
    [['completion', 'tcsh'], /^SHELL must be one of bash, zsh, fish, not "tcsh"/],
    [['help', 'srve'], /^There is no command "srve"/],
  ]
  for (const [words, message] of mistakes) {
    it(`exits with 2 and prints nothing to stdout: ${words.join(' ')}`, async (t) => {
      const { code, stdout, stderr } = await run(t, ...words)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, message)
    })
  }

  it('prints errors as JSON with --json', async (t) => {
    const { code, stdout, stderr } = await run(t, 'version', '--json', 'please')
    assert.deepEqual([code, stdout, JSON.parse(stderr)], [2, '', { error: 'Unexpected argument "please"' }])
  })

  it('prints its version', async (t) => {
    for (const word of ['version', '--version', '-v']) {
      assert.match((await run(t, word)).stdout, /^Portico \d+\.\d+\.\d+, Node 26\.\d+\.\d+, SQLite 3\.[\d.]+\n$/)
    }
    const { portico, node } = JSON.parse((await run(t, 'version', '--json')).stdout)
    assert.match(`${portico} ${node}`, /^\d+\.\d+\.\d+ 26\./)
  })

  it('ends without an error when nobody reads its output any more, as with head', async (t) => {
    const child = startChild(t, process.execPath, [MAIN, 'help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout?.destroy()
    assert.ok(child.stderr)
    const [[code], errors] = await Promise.all([once(child, 'close'), text(child.stderr)])
    assert.deepEqual([code, errors], [0, ''])
  })

  it('prints no escape sequence without a terminal', async (t) => {
    assert.ok(!(await run(t, '--help')).stdout.includes('\x1b'))
  })
})

describe('completion', () => {
  /** The words that bash offers for a line, after sourcing the script. */
  async function completeInBash(t: TestContext, script: string, line: string): Promise<string[]> {
    const words = line.split(' ')
    const program = `${script}
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
      _portico; printf '%s\\n' "\${COMPREPLY[@]}"`
    return (await runProgram(t, 'bash', ['-c', program])).trim().split('\n')
  }

  it('completes commands, subcommands and options in bash', async (t) => {
    const { stdout } = await runPortico(t, ['completion', 'bash'])
    const first = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0]))]
    assert.deepEqual((await completeInBash(t, stdout, 'portico ')).sort(), first.sort())
    assert.deepEqual(await completeInBash(t, stdout, 'portico ser'), ['serve'])
    assert.deepEqual(await completeInBash(t, stdout, 'portico keys '), ['list', 'rotate'])
    assert.deepEqual(await completeInBash(t, stdout, 'portico keys list --'), ['--json', '--help'])
  })

  it('is accepted by zsh and fish', async (t) => {
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = await runPortico(t, ['completion', shell])
      await runProgram(t, await ensureInstalled(`/usr/bin/${shell}`, shell), ['-n', '-c', stdout])
    }
  })

  it('completes commands and options in fish', async (t) => {
    const fish = await ensureInstalled('/usr/bin/fish', 'fish')
    const { stdout } = await runPortico(t, ['completion', 'fish'])
    const offers = async (line: string) =>
      (await runProgram(t, fish, ['--no-config', '-c', `${stdout}\ncomplete -C '${line}'`]))
        .split('\n')
        .map((row) => row.split('\t')[0])
    assert.ok((await offers('portico ')).includes('serve'))
    assert.ok((await offers('portico keys ')).includes('rotate'))
    assert.ok((await offers('portico keys list --')).includes('--json'))
  })
})
