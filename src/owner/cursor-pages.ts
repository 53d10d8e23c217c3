import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { nullable, Type } from '../http/schema.ts'

/** The parameters, the field `next` and the link of an operation that lists rows in pages (keyset pagination). */
export function cursorPages(operationId: string, cursor: { pattern?: string; maxLength?: number }, sample: string) {
  return {
    query: {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, 'x-message': 'Limit must be from 1 to 100' }),
      after: Type.Optional(Type.String({ ...cursor, description: '`next` of the page before', examples: [sample] })),
    },
    next: nullable(Type.String({ description: 'Null on the last page', examples: [sample] })),
    links: {
      next: {
        operationId,
        description: 'The next page, unless next is null',
        parameters: { after: '$response.body#/data/next' },
      },
    },
  }
}

/** The rows of a page, in a list that is ordered by `created_at` and `id`, the newest first. */
export function olderThan(after: string | undefined): RawBuilder<SqlBool> {
  if (after === undefined) return sql`true`
  const [createdAt, id] = after.split('.')
  return sql`(created_at, id) < (${Number(createdAt)}, ${id})`
}

/** Cuts a page from the rows of a query for one row more than `limit`, which shows whether there is a next page. */
export function cutPage<Row>(rows: Row[], limit: number, cursorOf: (last: Row) => string) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { page, next: last ? cursorOf(last) : null }
}
