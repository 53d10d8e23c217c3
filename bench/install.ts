import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** better-auth is needed for measurements only, so it is installed here, at its first use. */
export function installContenders(): string {
  const wanted = versionIn('package-lock.json')
  if (versionIn('node_modules/.package-lock.json') !== wanted) {
    process.stdout.write(`Installing better-auth ${wanted} from the npm registry …\n`)
    const { status } = spawnSync('npm', ['ci', '--loglevel=error'], {
      cwd: import.meta.dirname,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
    if (status !== 0) throw new Error('npm could not install better-auth: see its output above')
  }
  return wanted ?? ''
}

function versionIn(lockfile: string): string | undefined {
  try {
    const { packages } = JSON.parse(readFileSync(new URL(lockfile, import.meta.url), 'utf8'))
    return packages['node_modules/better-auth'].version
  } catch {
    return undefined
  }
}
