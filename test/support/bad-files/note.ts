import { appendFileSync } from 'node:fs'

/** The folder that a bad file may write to, and the processes that it does not end. */
export const FOLDER = process.env.BAD_FILES_FOLDER ?? ''

export function noteProcess(pid: number | undefined): void {
  appendFileSync(`${FOLDER}/processes`, `${pid}\n`)
}
