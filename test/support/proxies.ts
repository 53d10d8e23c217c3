import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { runProgram, startChild } from './child.ts'
import { type CleanedUp, temporaryFolder } from './clean-up.ts'
import { ensureInstalled } from './install.ts'
import { freePort } from './local-servers.ts'
import { eventually } from './site.ts'

const DEPLOY = join(import.meta.dirname, '../../deploy')
const START_LIMIT_MS = 60_000
const PROGRAMS = { nginx: '/usr/sbin/nginx', haproxy: '/usr/sbin/haproxy', caddy: '/usr/bin/caddy' }

export type ProxyName = keyof typeof PROXIES

export interface RunningProxy {
  name: ProxyName
  /** With https for the proxies whose configuration has TLS. */
  url: string
  /** The certificate of an https proxy, which is its own authority. */
  certificate: string | undefined
  /** Resolves when the proxy sends requests to both instances. nginx does so always: it has no health checks. */
  bothUp(): Promise<void>
}

interface Place {
  folder: string
  /** The port for clients. */
  port: number
  /** The port for plain HTTP beside it, where there is one. */
  plainPort: number
  instances: [number, number]
}

/** The real proxy with its documented configuration, in front of two instances. */
export async function startProxy(test: CleanedUp, name: ProxyName, instances: [number, number]): Promise<RunningProxy> {
  const program = await ensureInstalled(PROGRAMS[name], name)
  const folder = await temporaryFolder(test)
  const place = { folder, port: await freePort(), plainPort: await freePort(), instances }
  const certificate = name === 'haproxy' ? undefined : await createCertificate(test, folder)
  const args = await PROXIES[name](place)
  const child = startChild(test, program, args, {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const proxy: RunningProxy = {
    name,
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${place.port}`,
    certificate,
    async bothUp() {
      if (name === 'haproxy') await eventually(() => assertBothUp(folder))
      if (name === 'caddy') await eventually(async () => assertNoneDown(log))
    },
  }
  await listening(proxy, child, () => log)
  return proxy
}

const PROXIES = { nginx: nginxArgumentsOf, haproxy: haproxyArguments, caddy: caddyArguments }

/** Queries the runtime API of HAProxy like an operator: columns 2 and 18 of `show stat` are name and status. */
async function assertBothUp(folder: string): Promise<void> {
  const socket = connect(join(folder, 'haproxy.sock')).end('show stat\n')
  const rows = (await text(socket)).split('\n').map((line) => line.split(','))
  const status = Object.fromEntries(rows.map((row) => [row[1], row[17]]))
  assert.deepEqual([status.one, status.two], ['UP', 'UP'])
}

/** Reads the log of Caddy like an operator: the last message of each health check must not be about a failure. */
function assertNoneDown(log: string): void {
  const last = new Map<string, string>()
  // The text after the last line break may be a part of a line.
  const lines = log.split('\n').slice(0, -1)
  for (const line of lines.filter((line) => line.includes('health_checker.active'))) {
    const { host, msg } = JSON.parse(line)
    last.set(new URL(host.includes('//') ? host : `http://${host}`).host, msg)
  }
  for (const [host, message] of last) assert.equal(message, 'host is up', host)
}

async function nginxArgumentsOf(place: Place): Promise<string[]> {
  const { folder, port, plainPort } = place
  const site = await documented('nginx.conf', place, {
    'listen 80;': `listen 127.0.0.1:${plainPort};`,
    'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
    '/etc/letsencrypt/live/example.com/fullchain.pem': `${folder}/certificate.pem`,
    '/etc/letsencrypt/live/example.com/privkey.pem': `${folder}/key.pem`,
  })
  return nginxArguments(folder, site)
}

async function haproxyArguments(place: Place): Promise<string[]> {
  const { folder, port } = place
  const configuration = await documented('haproxy.cfg', place, {
    'bind :80': `bind 127.0.0.1:${port}`,
    global: `global\n    stats socket ${folder}/haproxy.sock`,
  })
  await writeFile(join(folder, 'haproxy.cfg'), configuration)
  return ['-q', '-db', '-f', join(folder, 'haproxy.cfg')]
}

async function caddyArguments(place: Place): Promise<string[]> {
  const { folder, port, plainPort } = place
  const global = `{\n\tadmin off\n\thttp_port ${plainPort}\n\tdefault_bind 127.0.0.1\n}\n`
  const site = `https://127.0.0.1:${port} {\n\ttls ${folder}/certificate.pem ${folder}/key.pem\n`
  const configuration = await documented('Caddyfile', place, { 'example.com {\n': site })
  await writeFile(join(folder, 'Caddyfile'), global + configuration)
  return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
}

/** The text of a documented configuration with other values for this place. Every text that is replaced must be in it. */
async function documented(file: string, { instances }: Place, changes: Record<string, string>): Promise<string> {
  let content = await readFile(join(DEPLOY, file), 'utf8')
  const [one, two] = instances
  const all = { ...changes, '127.0.0.1:3001': `127.0.0.1:${one}`, '127.0.0.1:3002': `127.0.0.1:${two}` }
  for (const [documented, here] of Object.entries(all)) {
    assert.ok(content.includes(documented), `${file} has no ${documented}`)
    content = content.replace(documented, () => here)
  }
  return content
}

async function createCertificate(test: CleanedUp, folder: string): Promise<string> {
  const file = join(folder, 'certificate.pem')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=proxy', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  await runProgram(test, 'openssl', ['req', '-x509', ...key, ...subject, '-out', file])
  return readFile(file, 'utf8')
}

async function listening(proxy: RunningProxy, child: ChildProcess, log: () => string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS
  while (!(await isReady(proxy))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${child.spawnfile} is not ready:\n${log()}`)
    await setTimeout(50)
  }
}

function isReady({ url, certificate }: RunningProxy): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const open = certificate ? request : plainRequest
  open(`${url}/readyz`, { ca: certificate, agent: false }, (response) => {
    response.resume()
    resolve(response.statusCode === 200)
  })
    .on('error', () => resolve(false))
    .end()
  return promise
}

/** Writes an nginx configuration with these `server` and `upstream` blocks. Returns the arguments of nginx. */
export async function nginxArguments(folder: string, site: string): Promise<string[]> {
  // The worker processes of nginx run as another user.
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'site.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const main = [
    'daemon off;',
    'worker_processes 2;',
    `pid ${folder}/nginx.pid;`,
    'events { worker_connections 1024; }',
    `http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }`,
  ]
  await writeFile(join(folder, 'nginx.conf'), `${main.join('\n')}\n`)
  return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')]
}

export interface TlsSite {
  /** The port of nginx. */
  port: number
  /** The port of the service behind it. */
  target: number
  key: string
  certificate: string
  /** Further directives of the location. */
  directives?: string
}

/** The directives that the documentation recommends. */
export const FORWARDING = 'proxy_set_header Host $host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'

/** nginx that terminates TLS at these ports, as in front of a production service. */
export async function startTlsProxy(test: CleanedUp, sites: TlsSite[]): Promise<void> {
  const folder = await temporaryFolder(test)
  const blocks = await Promise.all(
    sites.map(async ({ port, target, key, certificate, directives = FORWARDING }) => {
      const [keyFile, certificateFile] = [join(folder, `${port}.key`), join(folder, `${port}.crt`)]
      await writeFile(keyFile, key)
      await writeFile(certificateFile, certificate)
      return `server { listen 127.0.0.1:${port} ssl; ssl_certificate ${certificateFile}; ssl_certificate_key ${keyFile};
        location / { proxy_pass http://127.0.0.1:${target}; ${directives} } }`
    }),
  )
  const args = await nginxArguments(folder, blocks.join('\n'))
  startChild(test, await ensureInstalled('/usr/sbin/nginx', 'nginx'), args, { stdio: ['ignore', 'inherit', 'inherit'] })
  for (const { port } of sites) {
    await eventually(async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect').finally(() => socket.destroy())
    })
  }
}
