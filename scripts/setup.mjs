// Runs before `npm start` and `npm test`, on the installed Node (20 or later), possibly without node_modules. The
// script compares the lockfile with the installed packages and runs npm when a package is missing. Otherwise it only
// reads two files. Node 26 is one of the packages, so that the npm script that follows runs on it.
import { spawn } from 'node:child_process'
import { readFileSync, rmSync, statSync, utimes, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const root = new URL('..', import.meta.url)
const withDev = process.argv.includes('--with-dev')
const LOCK = new URL('.setup-lock', root)
const LOCK_POLL_MS = 100
const LOCK_REFRESH_MS = 1_000
// A lock without a refresh for this long is that of a process that was killed.
const LOCK_LEASE_MS = 10_000
/** The running npm. */
let npm

if (missingPackages().length > 0) {
  await acquireLock()
  // The packages that the previous holder of the lock has installed are no longer missing.
  const missing = missingPackages()
  const isInstalled = missing.length === 0 || (await install(missing))
  releaseLock()
  if (!isInstalled) fail('npm could not install the packages: see its output above.')
}
if (!bringsNode() && Number.parseInt(process.versions.node, 10) < 26) {
  fail(
    `Portico needs Node 26, and npm has no package of it for ${process.platform}-${process.arch}: get it from nodejs.org.`,
  )
}

/** Waits while another command installs packages in this checkout, and refreshes the lock until it is released. */
async function acquireLock() {
  let isAnnounced = false
  while (!createLock()) {
    if (lockAgeMs() > LOCK_LEASE_MS) {
      // The next attempt to create the lock is after a pause. By then, others that found this one too old have removed
      // it too, and cannot remove the next one.
      rmSync(LOCK, { force: true })
    } else if (!isAnnounced) {
      process.stderr.write('Waiting for another command that installs the packages …\n')
      isAnnounced = true
    }
    await setTimeout(LOCK_POLL_MS)
  }
  // After the release there is no file, which is no error.
  setInterval(() => utimes(LOCK, new Date(), new Date(), () => {}), LOCK_REFRESH_MS).unref()
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      // npm writes to node_modules until it ends. Then the lock is released, as after any failure of npm.
      if (npm) npm.kill(signal)
      else {
        releaseLock()
        process.exit(1)
      }
    })
  }
}

/** Returns false if the file exists (`wx` is O_EXCL, open(2)). */
function createLock() {
  try {
    writeFileSync(LOCK, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function lockAgeMs() {
  const stats = statSync(LOCK, { throwIfNoEntry: false })
  return stats ? Date.now() - stats.mtimeMs : 0
}

function releaseLock() {
  rmSync(LOCK, { force: true })
}

/**
 * `npm install` and not `npm ci`, which would first remove the packages that a running `npm start` uses. It installs the
 * versions of the lockfile and, with `--no-save`, writes to no file outside of `node_modules`. Resolves with false if
 * npm fails.
 */
function install(missing) {
  process.stdout.write(
    `Installing ${missing.length} package${missing.length === 1 ? '' : 's'} from the npm registry …\n`,
  )
  const words = ['install', '--no-save', '--no-fund', '--loglevel=error', withDev ? '--include=dev' : '--omit=dev']
  npm = spawn('npm', words, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  return new Promise((resolve) => {
    npm.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0))
  })
}

function fail(reason) {
  process.stderr.write(`${reason}
`)
  process.exit(1)
}

function missingPackages() {
  const wanted = packagesIn('package-lock.json')
  const installed = packagesIn('node_modules/.package-lock.json')
  return Object.entries(wanted)
    .filter(([path, wants]) => path !== '' && isFor(wants) && installed[path]?.version !== wants.version)
    .map(([path]) => path)
}

function packagesIn(lockfile) {
  try {
    return JSON.parse(readFileSync(new URL(lockfile, root), 'utf8')).packages
  } catch {
    return {}
  }
}

function isFor(wants) {
  const here = (list, mine) => !list || list.includes(mine)
  if (wants.dev && !withDev) return false
  // An optional package without os and cpu is a dependency of a platform package. npm omits it on other platforms.
  if (wants.optional && !wants.os && !wants.cpu) return false
  return !wants.optional || (here(wants.os, process.platform) && here(wants.cpu, process.arch) && onThisLibc(wants))
}

// npm omits packages built for another C library. `glibcVersionRuntime` exists on glibc systems only.
function onThisLibc(wants) {
  if (!wants.libc || process.platform !== 'linux') return true
  const mine = process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  return wants.libc.includes(mine)
}

function bringsNode() {
  return Object.keys(packagesIn('node_modules/.package-lock.json')).some(
    (path) =>
      path.startsWith(`node_modules/node-`) &&
      path.endsWith(`-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`),
  )
}
