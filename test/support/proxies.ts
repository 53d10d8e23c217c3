import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { startChild } from './child.ts'
import type { CleanedUp } from './clean-up.ts'
import { ensureInstalled } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { eventually } from './site.ts'
import { temporaryFolder } from './temporary-folder.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const START_LIMIT_MS = 10_000

export type ProxyName = 'nginx' | 'haproxy'

export interface Proxy {
  url: string
  /** Resolves when the proxy sends requests to both instances. nginx does so always: it has no health checks. */
  bothUp(): Promise<void>
}

/** The real proxy with its documented configuration, in front of two instances. */
export async function startProxy(test: CleanedUp, name: ProxyName, ports: [number, number]): Promise<Proxy> {
  const program = await ensureInstalled(`/usr/sbin/${name}`, name)
  const folder = await temporaryFolder(test)
  // The worker processes of nginx run as another user.
  await chmod(folder, 0o755)
  const port = await freePort()
  const args = await (name === 'nginx' ? nginxArguments : haproxyArguments)(folder, port, ports)
  const child = startChild(test, program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  await listening(url, child)
  return {
    url,
    async bothUp() {
      if (name === 'haproxy') await eventually(() => assertBothUp(folder))
    },
  }
}

/** Asks HAProxy at its runtime API, as an operator would: columns 2 and 18 of `show stat` are name and status. */
async function assertBothUp(folder: string): Promise<void> {
  const socket = connect(join(folder, 'haproxy.sock')).end('show stat\n')
  const rows = (await text(socket)).split('\n').map((line) => line.split(','))
  const status = Object.fromEntries(rows.map((row) => [row[1], row[17]]))
  assert.deepEqual([status.one, status.two], ['UP', 'UP'])
}

async function nginxArguments(folder: string, port: number, ports: [number, number]): Promise<string[]> {
  const site = withPorts(await readFile(join(DOCS, 'nginx.conf'), 'utf8'), ports).replace(
    'listen 80;',
    `listen 127.0.0.1:${port};`,
  )
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

async function haproxyArguments(folder: string, port: number, ports: [number, number]): Promise<string[]> {
  const configuration = withPorts(await readFile(join(DOCS, 'haproxy.cfg'), 'utf8'), ports)
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace('global', `global\n    stats socket ${folder}/haproxy.sock`)
  await writeFile(join(folder, 'haproxy.cfg'), configuration)
  return ['-q', '-db', '-f', join(folder, 'haproxy.cfg')]
}

function withPorts(text: string, [one, two]: [number, number]): string {
  return text.replace('127.0.0.1:3001', `127.0.0.1:${one}`).replace('127.0.0.1:3002', `127.0.0.1:${two}`)
}

async function listening(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${child.spawnfile} does not serve`)
    await setTimeout(50)
  }
}
