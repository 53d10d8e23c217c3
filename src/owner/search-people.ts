import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { PEOPLE_FILTERS, PEOPLE_ORDERS } from './people-filters.ts'
import { PERSON_COLUMNS, type PersonRow } from './person.ts'

export interface PeopleQuery {
  /** The beginning of an e-mail address, a username, a name or a last name. Empty for everybody. */
  text: string
  filter: (typeof PEOPLE_FILTERS)[number]
  /** The order of a list without `text`. A search is ordered by the value that was found. */
  order: (typeof PEOPLE_ORDERS)[number]
  after: Position | undefined
  limit: number
}

export interface PeoplePage {
  rows: PersonRow[]
  /** Undefined on the last page. */
  next: Position | undefined
}

type Select = SelectQueryBuilder<Tables, 'users', PersonRow>

/**
 * Where the next page begins: after this value and id, in this index. A list in the order of time has the index 0 and
 * `created_at` as its value. A search goes through the indexes of SEARCHED in their order.
 */
export type Position = [index: number, value: string | number, id: string]

// The greatest code point. A text that begins with a prefix is below the prefix followed by it.
const LAST_CHARACTER = '\u{10ffff}'

/** The values that a search compares, in its order. Each has an index (`migrations/0012-owners.ts`). */
const SEARCHED = [
  sql<string>`email`,
  sql<string>`username_key`,
  sql<string>`lower(first_name || ' ' || last_name)`,
  sql<string>`lower(last_name)`,
]

/**
 * Finds people by keyset pagination: the cost of a page does not depend on the number of people or of earlier pages.
 */
export async function searchPeople(
  database: Database,
  { text, filter, order, after, limit }: PeopleQuery,
): Promise<PeoplePage> {
  const select = filtered(database, filter)
  const found: { row: PersonRow; position: Position }[] =
    text === '' ? await byTime(select, order, after, limit) : await byText(database, select, text, after, limit)
  const last = found.length > limit ? found[limit - 1] : undefined
  return { rows: found.slice(0, limit).map(({ row }) => row), next: last?.position }
}

function filtered({ query, now }: Database, filter: PeopleQuery['filter']): Select {
  if (filter === 'all') return query.selectFrom('users').select(PERSON_COLUMNS)
  const conditions: Record<typeof filter, RawBuilder<SqlBool>> = {
    owners: sql`role = 'owner'`,
    suspended: sql`suspended_until is not null and suspended_until > ${now}`,
    unverified: sql`email_verified_at is null`,
  }
  // Few people pass a filter, and each filter has a partial index. The text is then compared without an index:
  // otherwise the database might read everybody whose name begins with the text.
  return query
    .with(
      (cte) => cte('few').materialized(),
      (query) => query.selectFrom('users').select(PERSON_COLUMNS).where(conditions[filter]),
    )
    .selectFrom('few as users')
    .select(PERSON_COLUMNS) as Select
}

async function byTime(select: Select, order: PeopleQuery['order'], after: Position | undefined, limit: number) {
  const [direction, comparison] = order === 'newest' ? (['desc', '<'] as const) : (['asc', '>'] as const)
  const rows = await select
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), comparison, tuple(Number(after?.[1]), after?.[2] ?? '')),
      ),
    )
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit + 1)
    .execute()
  return rows.map((row) => ({ row, position: [0, row.created_at, row.id] as Position }))
}

async function byText(database: Database, select: Select, text: string, after: Position | undefined, limit: number) {
  const prefix = text.toLowerCase()
  const found: { row: PersonRow; position: Position }[] = []
  for (let index = after?.[0] ?? 0; index < SEARCHED.length && found.length <= limit; index++) {
    const value = inByteOrder(database, SEARCHED[index] as Expression<string>)
    const earlier = SEARCHED.slice(0, index).map((other) => beginsWith(inByteOrder(database, other), prefix))
    const rows = await select
      .select(value.as('found'))
      .where(beginsWith(value, prefix))
      .where((eb) => eb.and(earlier.map((condition) => eb.not(condition))))
      .$if(after !== undefined && after[0] === index, (query) =>
        query.where(sql<SqlBool>`(${value}, id) > (${after?.[1]}, ${after?.[2]})`),
      )
      .orderBy(value)
      .orderBy('id')
      .limit(limit + 1 - found.length)
      .execute()
    found.push(...rows.map(({ found, ...row }) => ({ row, position: [index, found, row.id] as Position })))
  }
  return found
}

function beginsWith(value: Expression<string>, prefix: string) {
  return sql<SqlBool>`(${value} >= ${prefix} and ${value} < ${prefix + LAST_CHARACTER})`
}

/** The value in the order of its bytes, as its index has it. SQLite has no other order here. */
function inByteOrder({ name }: Pick<Database, 'name'>, value: Expression<string>) {
  return name === 'postgres' ? sql<string>`(${value}) collate "C"` : sql<string>`${value}`
}
