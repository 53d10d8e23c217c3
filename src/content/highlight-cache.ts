import type { Database } from '../database/database.ts'

/** The persistent cache of highlighted code. Highlighting is slow, and its result depends only on code and language. */
export interface HighlightCache {
  /** All serialized code, by key. */
  read(): Promise<Map<string, string>>
  /** Does not reject: code that is not saved is highlighted again at the next start. */
  add(entries: [key: string, serialized: string][]): Promise<void>
  /** Does not reject. */
  remove(keys: string[]): Promise<void>
}

const PREFIX = 'highlighted-code/'
// Version 0.1 kept all code in one row.
const FORMER_ROW = 'highlighted-code'

/**
 * Keeps each block of code as a row of its own: new code writes nothing but itself, and instances with different
 * content that run at the same time do not overwrite the code of each other. The next start with new code removes the
 * code that its content does not have.
 */
export function createHighlightCache({ query }: Database, failed: (error: unknown) => void): HighlightCache {
  return {
    async read() {
      await query.deleteFrom('saved_content').where('name', '=', FORMER_ROW).execute()
      const rows = await query
        .selectFrom('saved_content')
        .select(['name', 'value'])
        .where('name', 'like', `${PREFIX}%`)
        .execute()
      return new Map(rows.map(({ name, value }) => [name.slice(PREFIX.length), value]))
    },
    async add(entries) {
      const savedAt = Date.now()
      // Two instances that add the same rows wait for each other. In one order they cannot deadlock.
      const rows = entries
        .map(([key, value]) => ({ name: PREFIX + key, value, saved_at: savedAt }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
      await query
        .insertInto('saved_content')
        .values(rows)
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
        .catch(failed)
    },
    async remove(keys) {
      const names = keys.map((key) => PREFIX + key)
      await query.deleteFrom('saved_content').where('name', 'in', names).execute().catch(failed)
    },
  }
}
