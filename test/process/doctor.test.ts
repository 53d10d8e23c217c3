import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { examine } from '../../src/doctor/examine.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { startCodeHost } from '../support/code-host.ts'
import { assertFound, assertHealthy, configOf, examineWith, LIMIT_MS, QUIET, trust } from '../support/doctor.ts'
import { freePort } from '../support/local-servers.ts'
import { CERTIFICATE, KEY, startSmtpSink } from '../support/mail.ts'
import { startOpenIdProvider } from '../support/openid-provider.ts'
import { runPortico } from '../support/process.ts'
import { FORWARDING, startTlsProxy } from '../support/proxies.ts'
import { type EngineName, startOn, temporaryDatabase } from '../support/service.ts'

describe('portico doctor', () => {
  it('finds all faults of the settings, and skips what needs them', async (t) => {
    const cwd = await temporaryFolder(t)
    await writeFile(join(cwd, '.env'), 'SMTP_ULR=smtp://user:hunter2@localhost\nCOLOUR=red\nnonsense\n')
    const env = { NODE_ENV: 'production', PORT: 'http' }
    const { code, stdout, stderr } = await runPortico(t, ['doctor'], { cwd, env })
    assert.deepEqual([code, stderr], [1, ''])
    assert.match(stdout, /^✗ settings {2}PORT must be a port number/m)
    assert.match(stdout, /^✗ settings {2}BASE_URL is required in production/m)
    assert.match(stdout, /^✗ settings {2}SMTP_URL is required in production/m)
    assert.match(stdout, /^✗ settings {2}SMTP_ULR in line 1 of \.env is not a setting: did you mean SMTP_URL\?/m)
    assert.match(stdout, /^✗ settings {2}\.env line 3 has no "="/m)
    assert.match(stdout, /^! settings {2}COLOUR in line 2 of \.env is not a setting of Portico/m)
    assert.match(stdout, /^- settings {2}all other checks: they need settings without faults/m)
    assert.match(stdout, /^ +→ Change it in \.env or in the environment/m)
    assert.match(stdout, /\n5 faults, 1 warning: ✗ must be mended\.\n$/)
    assert.ok(!stdout.includes('hunter2'))
  })

  it('finds secrets that others can read, in JSON if asked, and checks its arguments', async (t) => {
    const cwd = await temporaryFolder(t)
    await writeFile(join(cwd, '.env'), 'SMTP_URL=smtp://user:hunter2@127.0.0.1:9\n')
    await chmod(join(cwd, '.env'), 0o644)
    const { code, stdout } = await runPortico(t, ['doctor', '--json', '--timeout', '60'], { cwd, env: QUIET })
    const { ok, findings }: { ok: boolean; findings: Finding[] } = JSON.parse(stdout)
    assert.deepEqual([code, ok], [1, false])
    assertFound(
      findings,
      'fault',
      /^every user of this machine can read \.env, which contains secrets/,
      /^chmod 600 \.env$/,
    )
    assertFound(findings, 'fault', /^SMTP_URL: nothing listens at 127\.0\.0\.1:9/)
    assert.ok(!stdout.includes('hunter2'))
    for (const words of [
      ['--timeout', 'soon'],
      ['--send-to', 'nobody'],
    ]) {
      assert.equal((await runPortico(t, ['doctor', ...words], { cwd, env: QUIET })).code, 2)
    }
  })
})

describe('portico doctor beside a production service behind nginx', () => {
  it('finds nothing to mend in a right set-up, and every fault of the proxy', async (t) => {
    const sink = await startSmtpSink({ key: KEY, cert: CERTIFICATE })
    cleanUp(t, () => sink.down())
    const folder = await temporaryFolder(t)
    await mkdir(join(folder, 'pages'))
    await writeFile(join(folder, 'pages/index.md'), '---\ntitle: Home\n---\nHello\n')
    const authority = join(folder, 'authority.pem')
    await writeFile(authority, CERTIFICATE)

    const ports = await Promise.all(Array.from({ length: 5 }, freePort))
    const [port = 0, unchanged = 0, hidden = 0, otherPort = 0, ...targets] = [...ports, await freePort()]
    const [target = 0, otherTarget = 0] = targets
    const tls = { key: KEY, certificate: CERTIFICATE }
    await startTlsProxy(t, [
      { ...tls, port, target },
      { ...tls, port: unchanged, target, directives: 'proxy_set_header Host $host;' },
      { ...tls, port: hidden, target, directives: 'proxy_set_header X-Forwarded-For "";' },
      { ...tls, port: otherPort, target: otherTarget, directives: FORWARDING },
    ])
    const start = async (engine: EngineName, at: number, behind: number) => {
      const env = {
        ...(await temporaryDatabase(t, engine)),
        NODE_ENV: 'production',
        BASE_URL: `https://localhost:${at}`,
        HOST: '127.0.0.1',
        PORT: String(behind),
        SMTP_URL: sink.url.replace('127.0.0.1', 'localhost'),
        SMTP_TLS: 'on',
        PASSWORD_POLICY: 'nist',
        TRUSTED_PROXIES: '127.0.0.1',
        CONTENT_DIR: folder,
      }
      const service = await startOn(env)
      cleanUp(t, () => service.close())
      return env
    }

    const env = await start('sqlite', port, target)
    const words = ['doctor', '--timeout', '60', '--send-to', 'operator@example.com']
    const { code, stdout } = await runPortico(t, words, { env: { ...env, NODE_EXTRA_CA_CERTS: authority } })
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^✓ address +https:\/\/localhost:\d+ leads to this service$/m)
    assert.match(stdout, /^✓ proxy +127\.0\.0\.1 is a trusted proxy$/m)
    assert.match(
      stdout,
      /^✓ mail server +localhost:\d+ responds, TLS is verified, a test mail to\s+operator@example\.com/m,
    )
    assert.match(stdout, /\nNothing is wrong\.\n$/)
    assert.equal(sink.mailsTo('operator@example.com').length, 1)

    trust(t, CERTIFICATE)
    const at = (number: number, changes = {}) =>
      examineWith({ ...env, BASE_URL: `https://localhost:${number}`, ...changes })
    assertFound(
      await at(port, { TRUSTED_PROXIES: '' }),
      'fault',
      /^the request came from 127\.0\.0\.1, which is not in TRUSTED_PROXIES/,
      /set TRUSTED_PROXIES=127\.0\.0\.1$/,
    )
    assertFound(await at(unchanged), 'fault', /arrives unchanged from 127\.0\.0\.1, which is in TRUSTED_PROXIES/)
    const withoutHeaders = await at(hidden)
    assertFound(withoutHeaders, 'fault', /127\.0\.0\.1 does not add the address of its client/, /X-Forwarded-For/)
    assertFound(withoutHeaders, 'warning', /changes the header Host to 127\.0\.0\.1:\d+/, /proxy_set_header Host/)

    const other = await start('postgres', otherPort, otherTarget)
    assertFound(await at(otherPort), 'fault', /leads to a Portico with another database/)
    const home = other.BASE_URL
    const [codehost, idp] = [await startCodeHost(home), await startOpenIdProvider({ home })]
    for (const provider of [codehost, idp]) cleanUp(t, () => provider.close())
    // In production the settings refuse a provider without TLS.
    const providers = configOf({ ...codehost.settings, ...idp.settings })
    const config = { ...configOf(other), codehost: providers.codehost, idp: providers.idp }
    const findings = await examine(config, { limitMs: LIMIT_MS })
    assertHealthy(findings)
    assert.deepEqual(
      [...new Set(findings.filter(({ status }) => status === 'skipped').map(({ check }) => check))],
      ['database files', 'mail domain'],
    )
  })
})
