import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { accountRoutes } from '../../src/account-routes.ts'
import type { Operation } from '../../src/http/operation.ts'
import { declaredRefusals, declareRefusal } from '../../src/http/refusal.ts'
import { get } from '../support/api.ts'
import { readDocument } from '../support/api-description.ts'
import { cleanUp } from '../support/clean-up.ts'
import { ERROR_CODES, FIELD_ERROR_CODES } from '../support/error-codes.ts'
import { type Service, startService } from '../support/service.ts'

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url))
const SOURCES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => [file, readFileSync(join(SOURCE, file), 'utf8')] as const)

/** The rows of the table of a markdown document that begins with this head, without the back-quotes of the cells. */
function tableIn(markdown: string, head: string): string[][] {
  const [, ...lines] = markdown.trimEnd().slice(markdown.indexOf(head)).split('\n\n')[0]?.split('\n').slice(1) ?? []
  return lines.map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').replace(/^`|`$/g, '')))
}

interface Described {
  responses: Record<string, { 'x-error-codes'?: string[] }>
}

/** The codes that a description lists for the responses of an operation, each with its status. */
function codesOf({ responses }: Described): string[] {
  const refused = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  return refused.flatMap(([status, { 'x-error-codes': codes = [] }]) => codes.map((code) => `${status} ${code}`))
}

/** The codes that follow from the declaration of an operation. */
function declaredBy(method: string, { access, query, headers, refusals = [] }: Operation): string[] {
  const readsBody = method !== 'GET'
  const codes = new Set([
    ...(readsBody || query || headers ? ['validation_failed'] : []),
    ...(access === 'signed-in' ? ['authentication_required'] : []),
    ...refusals.map(({ code }) => code),
    ...(readsBody ? ['body_too_large'] : []),
    ...['rate_limited', 'service_unavailable'],
  ])
  return [...codes].map((code) => `${ERROR_CODES[code]?.[0]} ${code}`)
}

async function limitedService(t: Parameters<typeof cleanUp>[0]): Promise<Service> {
  const service = await startService('sqlite', { RATE_LIMITS: 'on' })
  cleanUp(t, () => service.close())
  return service
}

describe('the error codes', () => {
  it('keep their status and message permanently', () => {
    const declared = declaredRefusals().map(({ code, status, message }) => [code, [status, message]])
    assert.deepEqual(Object.fromEntries(declared), ERROR_CODES)
    for (const code of [...Object.keys(ERROR_CODES), ...FIELD_ERROR_CODES]) assert.match(code, /^[a-z]+(_[a-z]+)*$/)
  })

  it('are declared once', () => {
    const again = { status: 404, code: 'not_found', message: 'Other', when: 'Never' }
    assert.throws(() => declareRefusal(again), /not_found is declared twice/)
  })

  it('belong to every refusal of the source', () => {
    const all = SOURCES.map(([, text]) => text).join('\n')
    const declared = new Set([...all.matchAll(/const (\w+) = declareRefusal\(/g)].map(([, name]) => name))
    assert.ok(declared.size > 20)
    // The checks of the head of a request return one of several kinds, and `refusal.ts` gets one as an argument.
    const passedOn = new Set(['kind'])
    for (const [file, text] of SOURCES) {
      for (const [, name = ''] of text.matchAll(/new Refusal\(\s*(\w+)/g)) {
        assert.ok(declared.has(name) || passedOn.has(name), `${file} throws ${name}, which declareRefusal did not make`)
      }
      assert.doesNotMatch(text, /: RefusalKind = \{/, `${file} makes a refusal without declareRefusal`)
      const isEnvelope = ['http/envelope.ts', 'http/openapi-failure.ts'].includes(file)
      if (!isEnvelope) assert.doesNotMatch(text, /success: false/, `${file} makes an envelope of its own`)
    }
  })

  it('are listed for each operation exactly as it declares them', async (t) => {
    const service = await limitedService(t)
    const { paths, components } = await readDocument(service)
    for (const [method, path, operation] of accountRoutes(service.portico)) {
      const described = codesOf(paths[path][method.toLowerCase()])
      assert.deepEqual(described.sort(), declaredBy(method, operation).sort(), `${method} ${path}`)
    }
    assert.deepEqual(components.schemas.ErrorCode.enum.toSorted(), Object.keys(ERROR_CODES).sort())
  })

  it('are in the guide with status, message and condition', async (t) => {
    const { body: guide } = await get(await limitedService(t), '/docs/account-api.md')
    const rows = tableIn(guide, '| Code | Status | Message | When |')
    assert.deepEqual(
      Object.fromEntries(rows.map(([code, status, message]) => [code, [Number(status), message]])),
      ERROR_CODES,
    )
    for (const [code, , , when = ''] of rows) assert.ok(when.length > 10, `${code} has no condition`)
    const fields = tableIn(guide, '| Code | Meaning |')
    assert.deepEqual(
      fields.map(([code]) => code),
      FIELD_ERROR_CODES,
    )
  })
})
