import type { Bench } from '../bench.ts'
import type { EngineName } from '../databases/database.ts'
import type { Request } from '../load/connection.ts'
import type { Refresh } from '../load/job.ts'
import type { Server } from '../measure/server.ts'

/** A server that a user could choose instead of Portico. */
export interface Peer {
  name: string
  /** The Portico that it is compared with. */
  engine: EngineName
  /** How it is set up, for the notes of the table. */
  settings: string
  /** How its work is not the same work, by the name of the work. Works that it does not do say so here. */
  differs: Partial<Record<WorkName, string>>
  /** Warm-up of each work, where it takes longer than usual to compile the code that runs often. */
  warmUpSeconds?: number
  /** Gets the program from a package registry. Returns its version. An error means that the peer cannot be had here. */
  obtain(): Promise<string>
  /** Creates its data and accounts. The data is used by every start. `page` is the HTML page that a page server serves. */
  prepare(bench: Bench, page: Page): Promise<Subject>
}

export type WorkName = 'authenticated read' | 'refresh' | 'log-in' | 'page' | 'idle memory' | 'first answer'

/** A prepared server and how to ask it for each work. */
export interface Subject {
  start(): Promise<Server>
  accounts?: AccountApi
  /** The request of the page. */
  page?: Request
}

export interface Page {
  html: string
}

export interface AccountApi {
  logIn(email: string, server: Server): Request
  /** The hash that a log-in computes, and its cost. */
  hash: string
  /** The read of the profile of the account that has just logged in. The answer must contain the e-mail address. */
  read(logIn: Response): Promise<Request>
  /** Undefined where there is no refresh token. */
  refresh?: Refresh
}
