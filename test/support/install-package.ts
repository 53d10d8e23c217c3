import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs the packages of a folder that has a lockfile of its own, at their first use. Returns the version of one of
 * them. No package runs a script.
 */
export function installPackage(folder: string, name: string): string {
  const wanted = versionIn(join(folder, 'package-lock.json'), name)
  if (versionIn(join(folder, 'node_modules/.package-lock.json'), name) !== wanted) {
    process.stdout.write(`Installing ${name} ${wanted} from the npm registry …\n`)
    // `npm ci` refuses a lockfile without the packages of other platforms, which some registries do not have.
    const { status } = spawnSync('npm', ['install', '--no-save', '--ignore-scripts', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
    if (status !== 0) throw new Error(`npm could not install ${name}: see its output above`)
  }
  return wanted ?? ''
}

function versionIn(lockfile: string, name: string): string | undefined {
  try {
    const { packages } = JSON.parse(readFileSync(lockfile, 'utf8'))
    return packages[`node_modules/${name}`].version
  } catch {
    return undefined
  }
}
