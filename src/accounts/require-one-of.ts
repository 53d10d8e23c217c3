import { invalid } from '../http/refusal.ts'
import type { TObject } from '../http/schema.ts'

/** Throws a validation error of the first field unless the body has exactly one of the fields of the schema. */
export function requireOneOf({ properties }: TObject, body: Record<string, unknown>): void {
  const names = Object.keys(properties)
  if (names.filter((name) => body[name] !== undefined).length === 1) return
  throw invalid(names[0] ?? '', 'required', `Send exactly one of ${names.join(', ')}`)
}
