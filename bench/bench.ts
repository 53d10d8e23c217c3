import type { PostgresServer } from './databases/postgres.ts'
import type { Progress } from './measure/progress.ts'
import type { Row } from './measure/rows.ts'

/** The parameters of every measurement. */
export interface Bench {
  /** The number of turns of each contender, the duration of one, and the warm-up before the first. */
  rounds: number
  seconds: number
  warmUp: number
  /** The number of accounts of a large database. */
  many: number
  /** The folder of this run's databases, removed at the end. */
  folder: string
  postgres: PostgresServer
  progress: Progress
  /** The folder of an earlier Portico, to be measured beside this one. */
  before: string | undefined
}

/** Yields its rows as they are measured, so that a later failure does not lose them. */
export type Work = (bench: Bench) => AsyncGenerator<Row>

/** Connections of the load generators, unless a work sets another number. */
export const CONNECTIONS = 32
