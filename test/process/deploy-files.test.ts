import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { runProgram } from '../support/child.ts'
import { type CleanedUp, temporaryFolder } from '../support/clean-up.ts'
import { ensureInstalled } from '../support/install.ts'
import { NODE_OPTIONS } from '../support/process.ts'

const DEPLOY = join(import.meta.dirname, '../../deploy')
const UNIT = readFileSync(join(DEPLOY, 'portico@.service'), 'utf8')
const GUIDE = readFileSync(join(DEPLOY, '../docs/pages/guides/production.md'), 'utf8')
// Of ten. Each measure that `systemd-analyze security` knows and a service lacks adds to it.
const MAX_EXPOSURE = Number(/exposure at less than ([\d.]+) of 10/.exec(GUIDE)?.[1])

/** Reads settings like the service, with a secret in each file that they name. */
async function configOf(test: CleanedUp, settings: Record<string, string>) {
  const folder = await temporaryFolder(test)
  const secrets: Record<string, string> = {
    smtp_url: 'smtp://user:password@mail.example.com:587',
    database_url: 'postgres://portico:password@postgres/portico',
  }
  const env = Object.entries(settings).map(([name, value]) => {
    if (!name.endsWith('_FILE')) return [name, value]
    const secret = basename(value)
    writeFileSync(join(folder, secret), secrets[secret] ?? '')
    return [name, join(folder, secret)]
  })
  return readConfig(Object.fromEntries(env))
}

const assignments = (text: string) => Object.fromEntries(text.split(' ').map((pair) => pair.split('=', 2)))

describe('the unit for systemd', () => {
  it('is valid, and leaves the service little that it could harm', async (t) => {
    const program = await ensureInstalled('/usr/bin/systemd-analyze', 'systemd')
    const folder = await temporaryFolder(t)
    // `verify` fails when the program of a unit does not exist.
    const unit = UNIT.replace(/^(WorkingDirectory)=.*/m, `$1=${folder}`).replace(
      /^(ExecStart)=\S+/m,
      `$1=${process.execPath}`,
    )
    writeFileSync(join(folder, 'portico@.service'), unit)
    const instance = join(folder, 'portico@3001.service')
    await runProgram(t, program, ['verify', instance])
    const table = await runProgram(t, program, ['security', '--offline=true', '--no-pager', instance])
    const exposure = Number(/exposure level .*: ([\d.]+)/.exec(table)?.[1])
    assert.ok(exposure < MAX_EXPOSURE, table)
  })

  it('has settings that Portico accepts', async (t) => {
    const lines = [...UNIT.matchAll(/^(?:# )?Environment=(.*)$/gm)].map(([, text = '']) => text)
    const settings = assignments(lines.join(' ').replaceAll('%i', '3001'))
    const config = await configOf(t, { ...settings, BASE_URL: 'https://example.com', PASSWORD_POLICY: 'nist' })
    assert.deepEqual([config.port, config.host, config.database.engine], [3001, '127.0.0.1', 'postgres'])
    assert.deepEqual(config.warnings, [])
  })
})

describe('the commands that start the service', () => {
  it('give Node the same options', () => {
    assert.ok(NODE_OPTIONS.length > 0)
    const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8')
    assert.ok(UNIT.includes(`/node ${NODE_OPTIONS.join(' ')} /srv`))
    assert.ok(read('Dockerfile').includes(`/node", ${NODE_OPTIONS.map((option) => `"${option}"`).join(', ')}, "/site`))
    assert.ok(GUIDE.includes(`/node ${NODE_OPTIONS.join(' ')} src/main.js serve\n`))
    assert.ok(GUIDE.includes(`NODE_OPTIONS="${NODE_OPTIONS.join(' ')}"`))
    assert.deepEqual(read('../src/main.js').match(/(?<=^ {2}')--.*(?=',$)/gm), NODE_OPTIONS)
  })
})

describe('the files for containers', () => {
  it('have settings that Portico accepts', async (t) => {
    const [, image = ''] = /^ENV (.*)$/m.exec(readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')) ?? []
    const { services, secrets } = parse(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8'))
    const config = await configOf(t, { ...assignments(image), ...services.site.environment })
    assert.deepEqual([config.mode, config.database.engine], ['production', 'postgres'])
    assert.deepEqual(config.warnings, [])
    assert.deepEqual(Object.keys(secrets), [...services.site.secrets, ...services.postgres.secrets])
  })
})
