import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

const schema = JSON.parse(readFileSync(new URL('../../docs/log-schema.json', import.meta.url), 'utf8'))
const isLogLine = new Ajv2020({ strict: true, strictRequired: false }).compile(schema)

/** The fields that a line of the log may have. */
export const LOG_FIELDS = Object.keys(schema.properties)

/** Each line follows docs/log-schema.json. */
export function assertLogLines(lines: Record<string, unknown>[]): void {
  for (const line of lines) {
    assert.ok(isLogLine(line), `${JSON.stringify(isLogLine.errors)} in ${JSON.stringify(line)}`)
  }
}
