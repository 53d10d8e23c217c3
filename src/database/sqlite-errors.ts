import { FsyncFailed } from './sqlite-group-commit.ts'

// https://www.sqlite.org/rescode.html. Node reports the extended result code. Its low byte is the primary result code.
const BUSY = 5
const READONLY = 8
const IOERR = 10
const FULL = 13
const CANTOPEN = 14
const IOERR_FSYNC = 1034
const CONSTRAINT_PRIMARYKEY = 1555
const CONSTRAINT_UNIQUE = 2067

/** Another connection has the lock that the statement needs. It may belong to this process or to another one. */
export function isBusy(error: unknown): boolean {
  return primaryCodeOf(error) === BUSY
}

/** The database cannot be used now: a client may retry later. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof FsyncFailed || [BUSY, READONLY, IOERR, FULL, CANTOPEN].includes(primaryCodeOf(error))
}

export function isFailedFsync(error: unknown): boolean {
  return extendedCodeOf(error) === IOERR_FSYNC
}

export function isUniqueViolation(error: unknown): boolean {
  return [CONSTRAINT_UNIQUE, CONSTRAINT_PRIMARYKEY].includes(extendedCodeOf(error))
}

function primaryCodeOf(error: unknown): number {
  return extendedCodeOf(error) & 0xff
}

/** 0 (SQLITE_OK) for an error that is not SQLite's. */
function extendedCodeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}
