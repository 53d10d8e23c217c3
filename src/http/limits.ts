import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { Query } from '../database/engine.ts'
import type { Arg } from '../database/prepared.ts'
import type { Rate } from '../settings-reader.ts'
import { type Soon, when } from '../soon.ts'
import { Refusal, tooManyRequests } from './refusal.ts'

export type LimitName = 'login' | 'reset' | 'resend' | 'api'

export interface Limits {
  /** Counts one more of these, and refuses with 429 past the limit. Answers the headers that tell where it stands. */
  take(name: LimitName, ...who: string[]): Soon<Record<string, string>>
}

/** Counters live in the database, so that every instance counts together; each count is one atomic statement. */
export function createLimits(config: Config['rateLimits'], database: Database, hash: (text: string) => string): Limits {
  if (!config) return { take: () => ({}) }
  // That a power cut forgets the last of them does not matter; that every call waited for the disk would.
  const count = database.prepare(
    (query, key: Arg<string>, milliseconds: Arg<number>) => countHit(query, database.now, key, milliseconds),
    { isFleeting: true },
  )
  return {
    take(name, ...who) {
      const rate = config[name]
      const key = hash(JSON.stringify([name, ...who]))
      const milliseconds = rate.seconds * 1000
      const hits = name === 'api' ? countIfPossible(key, milliseconds) : count(key, milliseconds)
      return when(hits, ([hit]) => (hit ? standing(name, rate, hit) : {}))
    },
  }

  /** A full disk must not keep people from reading; what guards a password or a mail stays shut. */
  function countIfPossible(key: string, milliseconds: number): Soon<Hit[]> {
    try {
      const hits = count(key, milliseconds)
      return hits instanceof Promise ? hits.catch(uncounted) : hits
    } catch (error) {
      return uncounted(error)
    }
  }

  function uncounted(error: unknown): Hit[] {
    if (database.isUnavailable(error)) return []
    throw error
  }
}

function standing(name: LimitName, rate: Rate, hit: Hit): Record<string, string> {
  const headers = describe(name, rate, hit)
  if (hit.hits <= rate.count) return headers
  throw new Refusal(tooManyRequests, { headers: { ...headers, 'Retry-After': String(secondsLeft(hit)) } })
}

interface Hit {
  hits: number
  resets_at: number
  now: number
}

/** A window opens with its first hit and starts anew when its time is over. */
export function countHit(
  query: Query,
  now: Database['now'],
  key: Arg<string> | string,
  milliseconds: Arg<number> | number,
) {
  return query
    .insertInto('rate_limits')
    .values((eb) => ({ key, hits: 1, resets_at: eb(now, '+', milliseconds) }))
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isOver = eb('rate_limits.resets_at', '<=', now)
        return {
          hits: eb
            .case()
            .when(isOver)
            .then(1)
            .else(eb('rate_limits.hits', '+', 1))
            .end(),
          resets_at: eb
            .case()
            .when(isOver)
            .then(eb.ref('excluded.resets_at'))
            .else(eb.ref('rate_limits.resets_at'))
            .end(),
        }
      }),
    )
    .returning(['rate_limits.hits', 'rate_limits.resets_at', now.as('now')])
}

function secondsLeft(hit: Hit): number {
  return Math.max(1, Math.ceil((hit.resets_at - hit.now) / 1000))
}

function describe(name: string, rate: Rate, hit: Hit): Record<string, string> {
  const remaining = Math.max(0, rate.count - hit.hits)
  return {
    'RateLimit-Policy': `"${name}";q=${rate.count};w=${rate.seconds}`,
    RateLimit: `"${name}";r=${remaining};t=${secondsLeft(hit)}`,
  }
}
