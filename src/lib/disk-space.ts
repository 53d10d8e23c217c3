import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface DiskSpace {
  /** The folder that was examined: the given one, or the nearest above it that exists. */
  folder: string
  /** The magic number of the file system (statfs(2)). */
  type: number
  freeBytes: number
  totalBytes: number
}

const LOW_BYTES = 1e9
const MIN_FREE_SHARE = 0.05

/** The space on the file system of a folder. */
export async function readDiskSpace(wanted: string): Promise<DiskSpace> {
  const folder = nearestExisting(wanted)
  const { type, bavail, blocks, bsize } = await statfs(folder)
  return { folder, type, freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

export function isLow({ freeBytes, totalBytes }: Pick<DiskSpace, 'freeBytes' | 'totalBytes'>): boolean {
  return freeBytes < LOW_BYTES || freeBytes < totalBytes * MIN_FREE_SHARE
}

/** Such as "0.3 MB" or "70.8 GB". */
export function readableSize(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder))
}
