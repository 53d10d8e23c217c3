import { execFile, spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

// A package may start its service when it is installed. `policy-rc.d` with exit code 101 forbids that (invoke-rc.d(8)).
const INSTALL = `
set -e
test -x "$1" && exit 0
policy=/usr/sbin/policy-rc.d
if ! test -e $policy; then
  trap "rm -f $policy" EXIT
  printf '#!/bin/sh\\nexit 101\\n' > $policy
  chmod 755 $policy
fi
# An earlier installation may have been killed.
dpkg --configure -a
timeout 300 apt-get update
timeout 600 apt-get install -y --no-install-recommends "$2"
`

/** Installs a Debian package when its program is missing, as root on Debian. Throws when the program is still missing. */
export async function ensureInstalled(program: string, packageName: string): Promise<string> {
  if (!isProgram(program) && process.getuid?.() === 0 && (await isDebian())) {
    // Test files are separate processes. One lock for all packages: apt-get fails when another apt-get is running.
    const lock = join(tmpdir(), 'portico-apt.lock')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const args = [lock, 'sh', '-c', INSTALL, 'install', program, packageName]
    // Not in a guarded process group: dpkg must not be killed in the middle.
    await promisify(execFile)('flock', args, { env, maxBuffer: 64 * 1024 * 1024 })
  }
  if (isProgram(program)) return program
  throw new Error(`The tests need ${program}: install the Debian package ${packageName}`)
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function isDebian(): Promise<boolean> {
  return /^ID=debian$/m.test(await readFile('/etc/os-release', 'utf8').catch(() => ''))
}

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
