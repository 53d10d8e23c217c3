import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { get, post, registration } from '../support/api.ts'
import { temporaryFolder } from '../support/clean-up.ts'
import { startReady } from '../support/process.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'

const FORGED = '{"level":"error","message":"forged"}'
const EVIL = [
  `\n${FORGED}`,
  `\r\n${FORGED}`,
  '\u001b[2J\u001b[1;1H',
  '\u009b31m',
  '\u0085forged',
  '\u2028forged',
  '\b\b\b',
]

/** Input of an attacker that may reach a log: addresses, headers, bodies and names, raw and encoded. */
async function writeEverywhere(portico: { url: string }): Promise<void> {
  for (const evil of EVIL) {
    const encoded = encodeURIComponent(evil)
    await get(portico, `/api/${encoded}?q=${encoded}`)
    await get(portico, `/blog/${encoded}`, { headers: { 'x-request-id': encoded, 'user-agent': encoded } })
    await post(portico, '/api/log-in', { email: `${evil}@example.com`, password: evil })
    await post(portico, '/api/create-account', registration({ firstName: evil, lastName: `x${evil}` }))
    await post(portico, '/api/create-account', `${evil}{`)
    // Raw bytes, which an HTTP client would have encoded.
    await sendRaw(portico, head(`GET /blog/${evil} HTTP/1.1`, 'Host: x', 'Connection: close'))
    const lines = ['Host: x', 'Connection: close', `User-Agent: ${evil}`, `X-Forwarded-For: ${evil}`]
    await sendRaw(portico, head('GET /api/user-details HTTP/1.1', ...lines))
  }
}

for (const engine of ENGINES) {
  describe(`input of an attacker, on ${engine},`, () => {
    it('forges no line of the log in production, and each line is JSON', async (t) => {
      const env = await temporaryDatabase(t, engine)
      const settings = {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        BASE_URL: 'https://portico.example',
        SMTP_URL: 'smtp://127.0.0.1:9',
        RATE_LIMITS: 'off',
      }
      const portico = await startReady(t, { ...env, ...settings })
      await writeEverywhere(portico)
      await portico.stop()
      const lines = portico.output().trimEnd().split('\n')
      assert.ok(lines.length > EVIL.length * 5)
      for (const line of lines) {
        const { time, message } = JSON.parse(line)
        assert.equal(new Date(time).toISOString(), time)
        assert.notEqual(message, 'forged')
        assert.doesNotMatch(line, CONTROL)
      }
    })

    it('forges no line in development, and prints no terminal control sequence', async (t) => {
      const env = await temporaryDatabase(t, engine)
      const CONTENT_DIR = await temporaryFolder(t)
      for (const evil of EVIL) await writeFile(join(CONTENT_DIR, `${evil}.md`), '')
      const portico = await startReady(t, { ...env, NODE_ENV: 'development', CONTENT_DIR })
      await writeEverywhere(portico)
      await portico.stop()
      const output = portico.output()
      assert.ok(output.split('\n').length > EVIL.length * 5)
      assert.doesNotMatch(output, CONTROL)
      for (const line of output.split('\n')) assert.doesNotMatch(line, /^\{|^forged/)
    })
  })
}

// Every character that a terminal interprets as a command, except the ends of our own lines.
const CONTROL = /[^\P{Cc}\n]|[\u2028\u2029]/u
