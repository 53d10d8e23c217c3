import type { PostgresServer } from './databases/postgres.ts'
import type { Progress } from './measure/progress.ts'
import type { Row } from './measure/rows.ts'

/** What every measurement is given. */
export interface Bench {
  /** How often each contender has its turn, how long one takes, and how long it is warmed up before the first. */
  rounds: number
  seconds: number
  warmUp: number
  /** How many accounts are many. */
  many: number
  /** For the databases of this run; removed when it is over. */
  folder: string
  postgres: PostgresServer
  progress: Progress
  /** The folder of an earlier Portico, to be measured beside this one. */
  before: string | undefined
}

/** Gives its rows as they are measured, so that what went wrong later does not take them along. */
export type Work = (bench: Bench) => AsyncGenerator<Row>

/** Of load generators, unless a work says otherwise. */
export const CONNECTIONS = 32
