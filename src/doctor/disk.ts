import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Check, fault, type Observation, ok, warning } from './finding.ts'
import { readableSize } from './sqlite-files.ts'

const FAULT_BYTES = 100e6
const WARNING_BYTES = 1e9
const WARNING_PART = 0.05

/** Network file systems by their magic numbers (statfs(2)). */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
])

interface FileSystem {
  /** The magic number. */
  type: number
  freeBytes: number
  totalBytes: number
}

/** The space that is left where the data is, and whether SQLite can work there. */
export const checkDisk: Check = async ({ config: { database, dataDir } }) => {
  const folder = nearestExisting(database.engine === 'sqlite' ? dirname(database.file) : dataDir)
  const { type, bavail, blocks, bsize } = await statfs(folder)
  const fileSystem = { type, freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  return observeDisk(folder, fileSystem, database.engine === 'sqlite')
}

export function observeDisk(folder: string, { type, freeBytes, totalBytes }: FileSystem, hasSqlite: boolean) {
  const observations: Observation[] = []
  const free = `${readableSize(freeBytes)} are free in ${folder}`
  const remedy = 'Delete what is not needed, or enlarge the disk. Writes are refused when it is full.'
  if (freeBytes < FAULT_BYTES) observations.push(fault(`only ${free}`, remedy))
  else if (freeBytes < WARNING_BYTES || freeBytes < totalBytes * WARNING_PART)
    observations.push(warning(`only ${free}`, remedy))
  const network = NETWORK_FILE_SYSTEMS.get(type)
  if (network && hasSqlite) {
    observations.push(
      fault(
        `${folder} is on a network file system (${network}), on which SQLite loses data`,
        'Move the folder to a local disk, or use PostgreSQL (https://www.sqlite.org/wal.html#overview).',
      ),
    )
  }
  return observations.length > 0 ? observations : [ok(free)]
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder))
}
