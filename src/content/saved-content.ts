import type { Database } from '../database/database.ts'

/** A persistent key-value cache in the table `saved_content`, for values that are slow to fetch or to compute. */
export function createSavedContent({ query }: Database) {
  return {
    async read(name: string): Promise<{ value: unknown; savedAt: number } | undefined> {
      const row = await query.selectFrom('saved_content').selectAll().where('name', '=', name).executeTakeFirst()
      return row && { value: JSON.parse(row.value), savedAt: row.saved_at }
    },
    async write(name: string, value: unknown): Promise<void> {
      const row = { name, value: JSON.stringify(value), saved_at: Date.now() }
      await query
        .insertInto('saved_content')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
        .execute()
    },
  }
}

export type Saved = ReturnType<typeof createSavedContent>
