import { line } from '../accounts/fields.ts'
import { invalid } from '../http/refusal.ts'
import { oneOf, Type } from '../http/schema.ts'
import { cursorPages } from './cursor-pages.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PEOPLE_FILTERS, PEOPLE_ORDERS } from './people-filters.ts'
import { Person, personOf } from './person.ts'
import { type Position, searchPeople } from './search-people.ts'

const pages = cursorPages('listPeople', { maxLength: 1000 }, 'WzAsMTc5NDgyMTQwMDAwMCwiM2Y2YzFiNTIiXQ')

export function listPeople(parts: OwnerParts) {
  return ownerOperation(parts, {
    id: 'listPeople',
    summary: 'List or search the people of the site',
    message: 'People retrieved successfully',
    description: 'A search is ordered by the value that was found; a list without one, by the time of registration.',
    query: Type.Object({
      search: Type.String({
        ...line(100, 'ada'),
        default: '',
        description: 'The beginning of an e-mail address, a username, a name or a last name',
      }),
      filter: oneOf(PEOPLE_FILTERS, { default: 'all', title: 'PeopleFilter', examples: ['all'] }),
      order: oneOf(PEOPLE_ORDERS, { default: 'newest', title: 'PeopleOrder', examples: ['newest'] }),
      ...pages.query,
    }),
    data: Type.Object(
      {
        people: Type.Array(Person),
        next: pages.next,
      },
      { title: 'People' },
    ),
    links: pages.links,
    async run({ query: { search, filter, order, limit, after } }) {
      const position = after === undefined ? undefined : positionOf(after, search)
      const { rows, next } = await searchPeople(parts.database, { text: search, filter, order, limit, after: position })
      return { data: { people: rows.map(personOf), next: next ? cursorOf(next) : null } }
    },
  })
}

const cursorOf = (position: Position) => Buffer.from(JSON.stringify(position)).toString('base64url')
const ID = /^[0-9a-f-]{36}$/

/** The position that a cursor stands for. Refuses a cursor that this operation cannot have made. */
function positionOf(cursor: string, search: string): Position {
  const position = parsed(Buffer.from(cursor, 'base64url').toString())
  if (!Array.isArray(position)) throw invalidCursor()
  const [index, value, id] = position
  const isText = typeof value === 'string' && !value.includes('\0')
  const isValue = search === '' ? Number.isSafeInteger(value) : isText
  // A list with one text passes for this text in a regular expression.
  const isId = typeof id === 'string' && ID.test(id)
  if (![0, 1, 2, 3].includes(index) || !isValue || !isId) throw invalidCursor()
  return [index, value, id]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidCursor()
  }
}

const invalidCursor = () => invalid('after', 'invalid_format', 'After must be `next` of a page')
