import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startChild, untilPrinted } from '../support/child.ts'
import { type CleanedUp, cleanUp } from '../support/clean-up.ts'
import { ensureInstalled, isProgram } from '../support/install.ts'
import { freePort } from '../support/local-servers.ts'

const run = promisify(execFile)

/** The command that starts a PgBouncer, and its version. */
export interface PgBouncer {
  command: string[]
  version: string
}

/** The PgBouncer of this system and, where that is older than 1.21, also the one of Debian 13. */
export async function pgBouncers(): Promise<PgBouncer[]> {
  const own = await describe([await ensureInstalled('/usr/sbin/pgbouncer', 'pgbouncer')])
  return supportsPreparedStatements(own) ? [own] : [own, await describe(await newerCommand())]
}

/** Whether this version supports prepared statements across transactions (`max_prepared_statements`). */
export function supportsPreparedStatements({ version }: PgBouncer): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 1 || minor >= 21
}

async function describe(command: string[]): Promise<PgBouncer> {
  const [program = '', ...args] = command
  const { stdout } = await run(program, [...args, '--version'])
  return { command, version: /^PgBouncer (\S+)/.exec(stdout)?.[1] ?? '' }
}

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/pgbouncer')
const PACKAGES =
  `pgbouncer libc6 libcares2 libevent-2.1-7t64 libpam0g libssl3t64 libsystemd0 libaudit1 libcap2 libcap-ng0
  libzstd1 zlib1g`.split(/\s+/)

// Unpacked and not installed: its libraries are newer than those of this system. The mirror is the one that apt uses.
const UNPACK = `
set -e
cd "$1"
shift
test -e complete && exit 0
mkdir -p lists/partial cache/archives/partial
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > sources.list
apt() {
  timeout 300 apt-get -o Dir::Etc::sourcelist="$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$PWD/lists" \\
    -o Dir::State::status=/dev/null -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User=root "$@"
}
apt update
apt download "$@"
for package in *.deb; do dpkg-deb -x "$package" .; done
chmod -R a+rX .
touch complete
`

async function newerCommand(): Promise<string[]> {
  const lock = join(tmpdir(), 'portico-apt.lock')
  await run('mkdir', ['-p', FOLDER])
  await run('flock', [lock, 'sh', '-c', UNPACK, 'unpack', FOLDER, ...PACKAGES], { maxBuffer: 64 * 1024 * 1024 })
  const libraries = join(FOLDER, 'usr/lib', `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`)
  const loader = ['ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'].map((name) => join(libraries, name)).find(isProgram)
  return [loader ?? '', '--library-path', libraries, join(FOLDER, 'usr/sbin/pgbouncer')]
}

/** Starts a PgBouncer in front of the PostgreSQL server at an address. Returns the address of the PgBouncer. */
export async function startPgBouncer(
  test: CleanedUp,
  { command }: PgBouncer,
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-pgbouncer-'))
  cleanUp(test, () => rm(folder, { recursive: true }))
  const { hostname, port, username, password } = new URL(databaseUrl)
  const listenPort = await freePort()
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(listenPort),
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`)
  const server = `* = host=${hostname} port=${port} user=${username} password=${password}`
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, ['[databases]', server, '[pgbouncer]', ...lines, ''].join('\n'))
  await chmod(folder, 0o755)
  const [program = '', ...args] = command
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = startChild(test, program, [...args, ...user, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  await untilPrinted(child, /process up/)
  const url = new URL(databaseUrl)
  url.port = String(listenPort)
  return url.href
}
