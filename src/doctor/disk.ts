import { dirname } from 'node:path'
import { type DiskSpace, isLow, readableSize, readDiskSpace } from '../lib/disk-space.ts'
import { type Check, fault, type Observation, ok, warning } from './finding.ts'

const FAULT_BYTES = 100e6

/** Network file systems by their magic numbers (statfs(2)). */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
])

/** The space that is left where the data is, and whether SQLite can work there. */
export const checkDisk: Check = async ({ config: { database, dataDir } }) => {
  const space = await readDiskSpace(database.engine === 'sqlite' ? dirname(database.file) : dataDir)
  return observeDisk(space.folder, space, database.engine === 'sqlite')
}

export function observeDisk(
  folder: string,
  { type, freeBytes, totalBytes }: Omit<DiskSpace, 'folder'>,
  hasSqlite: boolean,
) {
  const observations: Observation[] = []
  const free = `${readableSize(freeBytes)} are free in ${folder}`
  const remedy = 'Delete what is not needed, or enlarge the disk. Writes are refused when it is full.'
  if (freeBytes < FAULT_BYTES) observations.push(fault(`only ${free}`, remedy))
  else if (isLow({ freeBytes, totalBytes })) observations.push(warning(`only ${free}`, remedy))
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
