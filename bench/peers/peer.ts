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
  /** Its settings, for the notes of the table. */
  settings: string
  /** The differences between its work and Portico's, by the name of the work. Unsupported works are listed here. */
  differs: Partial<Record<WorkName, string>>
  /** Warm-up of each work, where the compilation of hot code takes longer than usual. */
  warmUpSeconds?: number
  /**
   * Gets the program from a package registry. Returns its version. An error means that the peer is not available here.
   */
  obtain(): Promise<string>
  /** Creates its data and accounts. Every start uses the data. `page` is the HTML page that a page server serves. */
  prepare(bench: Bench, page: Page): Promise<Subject>
}

export type WorkName = 'authenticated read' | 'refresh' | 'log-in' | 'page' | 'idle memory' | 'first response'

/** A prepared server and the requests of each work. */
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
  /** The read of the profile of the account that has just logged in. The response must contain the e-mail address. */
  read(logIn: Response): Promise<Request>
  /** Undefined where there is no refresh token. */
  refresh?: Refresh
}
