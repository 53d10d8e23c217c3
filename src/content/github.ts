import type { Config } from '../config/config.ts'
import { boundedFetch } from '../lib/bounded-fetch.ts'
import { type Calendar, firstDay } from './calendar-days.ts'

const TIMEOUT_MS = 5_000
const MAX_CONTRIBUTIONS_A_DAY = 1_000_000
const MIN_DAYS = 360
const LEVELS = ['NONE', 'FIRST_QUARTILE', 'SECOND_QUARTILE', 'THIRD_QUARTILE', 'FOURTH_QUARTILE']

const QUERY = `query ($login: String!, $from: DateTime!, $to: DateTime!) {
  user(login: $login) {
    contributionsCollection(from: $from, to: $to) {
      contributionCalendar {
        weeks { contributionDays { date contributionCount contributionLevel } }
      }
    }
  }
}`

/** Fetches the contributions of the past year from the code host's GraphQL API. Errors never contain the token. */
export async function fetchCalendar(github: NonNullable<Config['github']>): Promise<Calendar> {
  try {
    return await send(github)
  } catch (error) {
    // The message of a fetch error may contain request headers, so only its name and code are kept.
    throw error instanceof UpstreamFault ? error : new UpstreamFault(`cannot be asked: ${kindOf(error)}`)
  }
}

class UpstreamFault extends Error {
  constructor(what: string) {
    super(`the contributions API ${what}`)
    // The error is the upstream's, so a stack trace of this process has no information.
    delete this.stack
  }
}

function kindOf(error: unknown): string {
  const { name, cause } = error as Error
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return [name, code].filter(Boolean).join(' ')
}

async function send({ apiUrl, token, username }: NonNullable<Config['github']>): Promise<Calendar> {
  const to = new Date()
  const response = await boundedFetch(apiUrl, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'User-Agent': 'Portico' },
    body: JSON.stringify({ query: QUERY, variables: { login: username, from: firstDay(to), to } }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new UpstreamFault(
      response.status === 401 ? 'refused GITHUB_TOKEN (401)' : `responded with ${response.status}`,
    )
  }
  return parseCalendar((await response.json()) as unknown, username)
}

interface GithubDay {
  date: string
  contributionCount: number
  contributionLevel: string
}

/** A GraphQL server sends status 200 with errors too. Throws unless the response has a complete calendar. */
function parseCalendar(response: unknown, username: string): Calendar {
  const { data, errors } = (response ?? {}) as {
    data?: { user?: { contributionsCollection?: { contributionCalendar?: { weeks?: unknown } } } }
    errors?: unknown
  }
  if (Array.isArray(errors) && errors.some((error) => error?.type === 'NOT_FOUND')) {
    throw new UpstreamFault(`knows no user "${username}" (GITHUB_USERNAME)`)
  }
  // Data beside errors is partial (GraphQL specification, section 7.1).
  if (Array.isArray(errors) && errors.length > 0) throw new UpstreamFault('sent errors')
  const weeks = data?.user?.contributionsCollection?.contributionCalendar?.weeks
  if (!Array.isArray(weeks)) throw new UpstreamFault('sent no calendar')
  const days = weeks.flatMap((week: { contributionDays: GithubDay[] }) => week.contributionDays)
  const calendar = days.map(({ date, contributionCount: count, contributionLevel }) => {
    const level = LEVELS.indexOf(contributionLevel)
    if (
      !/^\d{4}-\d\d-\d\d$/.test(date) ||
      !Number.isInteger(count) ||
      count < 0 ||
      count > MAX_CONTRIBUTIONS_A_DAY ||
      level < 0
    ) {
      throw new UpstreamFault('sent a day that is none')
    }
    return { date, count, level }
  })
  if (new Set(calendar.map(({ date }) => date)).size < MIN_DAYS) throw new UpstreamFault('sent less than a year')
  return { total: calendar.reduce((sum, { count }) => sum + count, 0), data: calendar }
}
