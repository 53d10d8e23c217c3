import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readableSize } from '../lib/disk-space.ts'
import { type Check, fault, type Observation, ok, skipped, warning } from './finding.ts'
import { octal } from './secret-files.ts'

const NOT_FOR_OTHERS = 0o007
const NOT_FOR_GROUP_AND_OTHERS = 0o077

/** Folder and files of SQLite: there, writable, and readable for the service only. */
export const checkSqliteFiles: Check = async ({ config: { database } }) => {
  if (database.engine !== 'sqlite') return [skipped('PostgreSQL has its own')]
  const { file } = database
  const folder = dirname(file)
  const [inFolder, found, wal] = await Promise.all([folder, file, `${file}-wal`].map(statOf))
  if (!inFolder) return [warning(`there is no folder ${folder} yet`, 'The first start of the service creates it.')]
  if (!inFolder.isDirectory()) return [fault(`${folder} is not a folder`, 'Set DATA_DIR to a folder.')]
  if (!found && wal) {
    return [
      fault(
        `${file} is missing, and ${file}-wal is there: it has the last changes`,
        'Put the database file back beside it before you start the service, or move the -wal file away.',
      ),
    ]
  }
  if (!found) return [warning(`there is no database ${file} yet`, 'The first start of the service creates it.')]
  const observations = [
    ...(await whyNotUsable(folder, file)),
    ...whoCanRead(folder, inFolder.mode, NOT_FOR_OTHERS, '700', warning),
    ...whoCanRead(file, found.mode, NOT_FOR_GROUP_AND_OTHERS, '600', fault),
    ...(wal ? whoCanRead(`${file}-wal`, wal.mode, NOT_FOR_GROUP_AND_OTHERS, '600', fault) : []),
    ...whoOwns(file, found.uid),
  ]
  return observations.length > 0 ? observations : [ok(`${file}, ${readableSize(found.size)}, for its owner only`)]
}

async function statOf(path: string) {
  return stat(path).catch(() => undefined)
}

async function whyNotUsable(folder: string, file: string): Promise<Observation[]> {
  const { R_OK, W_OK, X_OK } = constants
  try {
    await access(folder, R_OK | W_OK | X_OK)
    await access(file, R_OK | W_OK)
    return []
  } catch (error) {
    return [
      fault(
        `the database cannot be written: ${(error as Error).message}`,
        `chown the folder ${folder} and its files to the user of the service, who needs to create files in it.`,
      ),
    ]
  }
}

function whoCanRead(
  path: string,
  mode: number,
  unwanted: number,
  wanted: string,
  observe: typeof fault,
): Observation[] {
  if (process.platform === 'win32' || (mode & unwanted) === 0) return []
  const message = `other users of this machine can open ${path} (mode ${octal(mode)}): it has password hashes and keys`
  return [observe(message, `chmod ${wanted} ${path}`)]
}

/** Root may run this command for the user of the service. */
function whoOwns(file: string, owner: number): Observation[] {
  const user = process.getuid?.() ?? 0
  if (user === 0 || user === owner) return []
  return [
    warning(
      `${file} belongs to the user ${owner}, and this command runs as ${user}`,
      'Run it as the user of the service, and chown the files if the service runs as another user.',
    ),
  ]
}
