// Runs before `npm start` and `npm test`, on the installed Node (20 or later), possibly without node_modules. The
// script compares the lockfile with the installed packages and runs `npm ci` when a package is missing. Otherwise it
// only reads two files. Node 26 is one of the packages, so that the npm script that follows runs on it.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)
const withDev = process.argv.includes('--with-dev')

const missing = missingPackages()
if (missing.length > 0) {
  process.stdout.write(
    `Installing ${missing.length} package${missing.length === 1 ? '' : 's'} from the npm registry …\n`,
  )
  const { status } = spawnSync('npm', ['ci', '--loglevel=error', withDev ? '--include=dev' : '--omit=dev'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) fail('npm could not install the packages: see its output above.')
}
if (!bringsNode() && Number.parseInt(process.versions.node, 10) < 26) {
  fail(
    `Portico needs Node 26, and npm has no package of it for ${process.platform}-${process.arch}: get it from nodejs.org.`,
  )
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
