import { BackupError } from '../backup/backup-error.ts'
import type { OnProgress } from '../backup/progress.ts'
import { printable } from '../lib/printable.ts'
import { CommandError } from './command.ts'
import type { Terminal } from './terminal.ts'

/** A progress line for each step of the work. */
export function steps(terminal: Terminal): { onProgress: OnProgress; end(): void } {
  let current: { step: string; progress: ReturnType<Terminal['progress']> } | undefined
  return {
    onProgress(step, detail = '', part) {
      if (current?.step !== step) {
        current?.progress.end()
        current = { step, progress: terminal.progress(step) }
      }
      current.progress.update(detail, part)
    },
    end: () => current?.progress.end(),
  }
}

/** Prints failures of a backup or restore without a stack. */
export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError(printable(error.message))
    const { code, message } = error as NodeJS.ErrnoException
    throw code === 'ENOSPC' ? new CommandError(`There is not enough space: ${message}`) : error
  }
}

export function size(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}
