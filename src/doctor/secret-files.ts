import { stat } from 'node:fs/promises'
import { type Check, fault, ok, skipped, warning } from './finding.ts'

const OTHERS_MAY_READ = 0o004

/** Whether other users of the machine can read the secrets among the settings. */
export const checkSecretFiles: Check = async ({ config: { secretFiles } }) => {
  if (process.platform === 'win32') return [skipped('Windows has no file modes')]
  const modes = await Promise.all(secretFiles.map(async (file) => ({ file, mode: (await stat(file)).mode })))
  const open = modes.filter(({ mode }) => mode & OTHERS_MAY_READ)
  if (open.length === 0) {
    return [ok(secretFiles.length > 0 ? `only you can read ${secretFiles.join(', ')}` : 'no file has secrets')]
  }
  return open.map(({ file, mode }) => {
    const message = `every user of this machine can read ${file}, which contains secrets (mode ${octal(mode)})`
    // Container engines mount secrets with mode 0444 unless they are told otherwise.
    return file === '.env'
      ? fault(message, `chmod 600 ${file}`)
      : warning(message, `chmod 600 ${file}, or set the mode where the secret is mounted.`)
  })
}

export function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}
