import { FsyncFailed } from './sqlite-group-commit.ts'

// https://www.sqlite.org/rescode.html: the low byte of a code is what went wrong, the rest tells it more closely.
const BUSY = 5
const READONLY = 8
const IOERR = 10
const FULL = 13
const CANTOPEN = 14
const IOERR_FSYNC = 1034
const CONSTRAINT_PRIMARYKEY = 1555
const CONSTRAINT_UNIQUE = 2067

/** Another process holds what is needed, at this moment. */
export function isBusy(error: unknown): boolean {
  return (codeOf(error) & 0xff) === BUSY
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof FsyncFailed || [BUSY, READONLY, IOERR, FULL, CANTOPEN].includes(codeOf(error) & 0xff)
}

export function isFailedFsync(error: unknown): boolean {
  return codeOf(error) === IOERR_FSYNC
}

export function isUniqueViolation(error: unknown): boolean {
  return [CONSTRAINT_UNIQUE, CONSTRAINT_PRIMARYKEY].includes(codeOf(error))
}

function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}
