import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { LIMIT_NAMES, limitSetting } from '../../src/config/limit-kinds.ts'
import { SETTING_DESCRIPTIONS } from '../../src/config/setting-descriptions.ts'
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

  it('has fewer than 150 lines', () => {
    assert.ok(readme.split('\n').length < 150)
  })
})

describe('the descriptions of the settings', () => {
  const described = Object.values(SETTING_DESCRIPTIONS).flat()
  const names = described.flatMap((setting) => setting.names)

  it('have every setting once', async () => {
    const source = await readFile(new URL('../../src/config/config.ts', import.meta.url), 'utf8')
    const settings = [...source.matchAll(/read\.\w+\(\s*'([A-Z_]+)'/g)].map(([, name = '']) => name)
    assert.ok(settings.length >= 15)
    assert.deepEqual(
      [...settings, ...LIMIT_NAMES.map(limitSetting)].filter((name) => !names.includes(name)),
      [],
    )
    assert.equal(new Set(names).size, names.length)
  })

  it('have the defaults of the service', () => {
    const { port, host } = readConfig({})
    const listening = described.find((setting) => setting.names.includes('PORT'))
    assert.equal(listening?.default, `${port}, ${host}`)
  })
})
