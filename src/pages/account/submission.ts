import type { Submission } from './page.ts'

/** The fields and the file of a parsed form, and the name of the form, which is in the field `form`. */
export function submissionOf(body: unknown): Submission & { name: string } {
  const posted = Object.entries((body ?? {}) as Record<string, string | Uint8Array>)
  const fields = Object.fromEntries(
    posted.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
  const file = posted.find(([name, value]) => name === 'file' && typeof value !== 'string')?.[1] as
    | Uint8Array
    | undefined
  return { name: fields.form ?? '', fields, file }
}
