import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { LIMIT_KINDS, LIMIT_NAMES, limitSetting } from '../../src/config/limit-kinds.ts'
import { runProgram } from '../support/child.ts'
import { onBothEngines } from '../support/service.ts'

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')

describe('the README', () => {
  onBothEngines((service) => {
    it('has a walk from sign-up to log-out that works when pasted', async (t) => {
      const walk = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
        .map(([, code]) => code)
        .find((code) => code?.includes('API='))
      const script = walk?.replace('http://localhost:3000', service.url)
      const stdout = await runProgram(t, 'bash', ['-c', script ?? 'exit 1'])
      const messages = [...stdout.matchAll(/"message":"([^"]*)"/g)].map(([, message]) => message)
      assert.deepEqual(messages, [
        'Account created successfully. Please check your email for the verification code',
        'Email verified successfully',
        'User details retrieved successfully',
        'Sessions retrieved successfully',
        'Logged out successfully',
        'Authentication required',
      ])
    })
  })

  it('lists every setting with its default', async () => {
    const source = await readFile(new URL('../../src/config/config.ts', import.meta.url), 'utf8')
    const settings = [...source.matchAll(/read\.\w+\(\s*'([A-Z_]+)'/g)].map(([, name]) => name ?? '')
    assert.ok(settings.length >= 15)
    for (const name of settings) assert.ok(readme.includes(`\`${name}\``), `${name} is missing`)

    const { port, host } = readConfig({})
    assert.equal(`${port}, ${host}`, '3000, 127.0.0.1')
    for (const name of LIMIT_NAMES) {
      const { rate, counts } = LIMIT_KINDS[name]
      assert.ok(readme.includes(`| \`${limitSetting(name)}\` | ${rate} | ${counts} |`), name)
    }
  })
})
