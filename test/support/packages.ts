import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { fetchPlain, post } from './api.ts'
import { startChild } from './child.ts'
import { type CleanedUp, cleanUp, temporaryFolder } from './clean-up.ts'
import { freePort } from './local-servers.ts'

const ROOT = join(import.meta.dirname, '../..')
const BUILD = join(ROOT, 'build')
const run = promisify(execFile)

/**
 * Builds the packages and serves them as an npm registry. All other packages come from the registry of this machine,
 * through this one, so that an installation in a container needs no other address. Returns the address.
 */
export async function startRegistry(test: CleanedUp): Promise<string> {
  await run('npm', ['run', 'build'], { cwd: ROOT })
  const folder = await temporaryFolder(test)
  const manifests = new Map(readdirSync(BUILD).map((name) => [name, readManifest(name)]))
  for (const name of manifests.keys()) await pack(name, folder)
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()

  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '/')
    const manifest = manifests.get(path.slice(1))
    if (path.startsWith('/-/')) {
      createReadStream(join(folder, path.slice(3))).pipe(response)
    } else if (manifest) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(documentOf(manifest)))
    } else {
      const { accept = '*/*' } = request.headers
      const upstreamResponse = await fetch(new URL(request.url?.slice(1) ?? '', upstream), { headers: { accept } })
      response.statusCode = upstreamResponse.status
      const type = upstreamResponse.headers.get('content-type') ?? 'application/json'
      const body = Buffer.from(await upstreamResponse.arrayBuffer())
      response.setHeader('content-type', type)
      response.end(type.includes('json') ? body.toString().replaceAll(upstream, address) : body)
    }
  })
  cleanUp(test, () => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return address

  /** The document of a package with one version. */
  function documentOf(manifest: Manifest) {
    const { name, version } = manifest
    const archive = readFileSync(join(folder, archiveOf(name)))
    const dist = {
      tarball: `${address}-/${archiveOf(name)}`,
      integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}`,
    }
    // Yarn 4 installs no version that is less than a day old, or without a time (`npmMinimalAgeGate`).
    const time = { [version]: new Date(0).toISOString() }
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } }, time }
  }
}

interface Manifest {
  name: string
  version: string
}

function readManifest(name: string): Manifest {
  return JSON.parse(readFileSync(join(BUILD, name, 'package.json'), 'utf8'))
}

const archiveOf = (name: string) => `${name}.tgz`

/** Packs like `npm pack`, without its strong compression, which takes ten seconds for a Node. The result is reproducible. */
async function pack(name: string, folder: string): Promise<void> {
  const options = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--transform=s,^\\.,package,']
  const { stdout } = await run('tar', [...options, '-I', 'gzip -1', '-c', '-C', join(BUILD, name), '.'], {
    encoding: 'buffer',
    maxBuffer: 512 * 1024 * 1024,
  })
  writeFileSync(join(folder, archiveOf(name)), stdout)
}

// Without the Node of this folder, so that the packages start with the Node of the machine, as for a user.
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)

/**
 * The environment of a user whose registry is this one, without the variables of the npm that runs the tests. The
 * certificates that the machine trusts stay trusted: archives of other packages come from the registry of the machine.
 */
export function userEnv(registry: string): Record<string, string | undefined> {
  const isOfUser = (name: string) => name === 'NODE_EXTRA_CA_CERTS' || !/^(npm_|NODE_|PORTICO_|YARN_)/i.test(name)
  const own = Object.entries(process.env).filter(([name]) => isOfUser(name))
  return { ...Object.fromEntries(own), PATH, npm_config_registry: registry }
}

/** Runs the start script of a site with a package manager, and returns its address when it is ready. */
export async function startSite(test: CleanedUp, [program = '', ...args]: string[], cwd: string): Promise<string> {
  const port = String(await freePort())
  const child = startChild(test, program, [...args, 'start'], {
    cwd,
    env: { ...userEnv(''), PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout?.setEncoding('utf8')
  for await (const text of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += text
    if (!output.includes('Portico is ready at')) continue
    child.stdout?.resume()
    return `http://127.0.0.1:${port}`
  }
  throw new Error(`the site did not start: ${output}`)
}

/** Signs up, reads the code in the development mailbox and verifies the address. Returns the last status. */
export async function verifiedAccount(url: string): Promise<number> {
  const email = 'ada@example.com'
  const password = 'Analytical-1'
  await post({ url }, '/api/create-account', {
    firstName: 'Ada',
    lastName: 'King',
    email,
    password,
    confirmPassword: password,
  })
  let code: string | undefined
  while (!code) {
    const mailbox = await fetchPlain({ url }, '/dev/mailbox', { accept: 'application/json' })
    code = /\b\d{6}\b/.exec(String(mailbox.body))?.[0]
  }
  return (await post({ url }, '/api/email-verification', { email, verificationCode: code })).status
}
