import { appendFileSync } from 'node:fs'

/** Where a bad file may write, and what it does not end. */
export const FOLDER = process.env.BAD_FILES_FOLDER ?? ''

export function noteProcess(pid: number | undefined): void {
  appendFileSync(`${FOLDER}/processes`, `${pid}\n`)
}
