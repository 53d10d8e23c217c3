import type { FastifyInstance } from 'fastify'
import { invalid } from './refusal.ts'

export const BODY_LIMIT = 64 * 1024
const DEPTH_LIMIT = 20
// As keys they could reach the prototype of an object that some later code merges them into.
const POISON = new Set(['__proto__', 'constructor', 'prototype'])

/** JSON is the only body the API reads, and only JSON that every later layer can hold safely. */
export function acceptJsonOnly(app: FastifyInstance): void {
  // Many clients name a type also when they send nothing, as `curl -d ''` does: of no body it says nothing.
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined
    if (isEmpty && headers['content-type'] !== undefined) delete headers['content-type']
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, raw: Buffer, done) => {
    try {
      done(null, parseBody(raw))
    } catch (error) {
      done(error as Error)
    }
  })
}

export function parseBody(raw: Buffer): unknown {
  // Sent in chunks of which there are none; that is an empty object to the validation.
  if (raw.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw))
  } catch {
    throw invalid('body', 'The request body must be valid JSON in UTF-8')
  }
  inspect(value, 1)
  return value
}

/** What the form of a page sends: texts by the names of their fields. */
export function parseForm(raw: Buffer): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  try {
    for (const pair of new TextDecoder('utf-8', { fatal: true }).decode(raw).split('&')) {
      const [name = '', ...value] = pair.replaceAll('+', ' ').split('=').map(decodeURIComponent)
      fields[name] = value.join('=')
    }
  } catch {
    throw invalid('body', 'The form must be text in UTF-8')
  }
  inspect(fields, 1)
  return fields
}

export function inspect(value: unknown, depth: number): void {
  if (typeof value === 'string') inspectText(value)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  if (depth > DEPTH_LIMIT) throw invalid('body', `The request body is nested deeper than ${DEPTH_LIMIT} levels`)
  for (const [key, item] of Object.entries(value)) {
    inspectText(key)
    if (POISON.has(key)) throw invalid('body', `The key "${key}" is not allowed`)
    inspect(item, depth + 1)
  }
}

function inspectText(text: string): void {
  // Neither can be stored by PostgreSQL, and neither is ever typed by a person.
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalid('body', 'The request body contains characters that are not text')
  }
}
