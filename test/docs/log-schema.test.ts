import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createLog } from '../../src/logging/log.ts'
import { register } from '../support/accounts.ts'
import { mailsTo } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { assertLogLines, LOG_FIELDS } from '../support/monitoring.ts'
import { signUpOwner } from '../support/owners.ts'
import { startLoggedService } from '../support/service.ts'
import { createWebhook, deliverDue, PRIVATE_WEBHOOKS, startReceiver } from '../support/webhooks.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('the schema of the log', () => {
  it('is the table of the documentation', () => {
    const [, section = ''] = /([\s\S]*?)\n## /.exec(read('docs/pages/reference/log.md')) ?? []
    const rows = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
    assert.deepEqual(rows.sort(), LOG_FIELDS.toSorted())
  })

  it('has every field that the code logs', () => {
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(read)
    const objects = sources.flatMap((text) => [...text.matchAll(/\blog\.(?:info|warn|error)\(\s*\{([^{}]*)/g)])
    const logged = objects.flatMap(([, list = '']) =>
      list.split(',').flatMap((entry) => /^\s*(\w+)\s*(?::|$)/.exec(entry)?.[1] ?? []),
    )
    assert.ok(logged.length > 20)
    assert.deepEqual(
      [...new Set(logged)].filter((field) => !LOG_FIELDS.includes(field)),
      [],
    )
  })

  it('is that of a mail in development', async (t) => {
    const service = await startLoggedService('sqlite')
    cleanUp(t, () => service.close())
    const { email } = await register(service)
    assert.equal((await mailsTo(service, email)).length, 1)
    assert.ok(service.lines.some(({ mail }) => mail))
    assertLogLines(service.lines)
  })

  it('is that of an event that could not be delivered', async (t) => {
    const service = await startLoggedService('sqlite', PRIVATE_WEBHOOKS)
    cleanUp(t, () => service.close())
    const receiver = await startReceiver(t)
    receiver.status = 500
    await createWebhook(service, await signUpOwner(service), receiver.url, ['account.created'])
    await register(service)
    await deliverDue(service)
    assert.ok(service.lines.some(({ deliveryId }) => deliveryId))
    assertLogLines(service.lines)
  })

  it('is that of the notice about dropped lines', () => {
    const lines: string[] = []
    const output = {
      write: (line: string) => void lines.push(line),
      flush: () => {},
      onDropped: (_lines: number) => {},
    }
    createLog({ logFormat: 'json', logLevel: 'info' }, undefined, output)
    output.onDropped(3)
    const [notice] = lines.map((line) => JSON.parse(line))
    assert.equal(notice.lines, 3)
    assertLogLines([notice])
  })
})
