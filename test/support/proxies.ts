import type { ChildProcess } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startChild } from './child.ts'
import type { CleanedUp } from './clean-up.ts'
import { ensureInstalled } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './temporary-folder.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const START_LIMIT_MS = 10_000

export type ProxyName = 'nginx' | 'haproxy'
export const PROXIES: ProxyName[] = ['nginx', 'haproxy']

/** The real proxy with its documented configuration, in front of two instances. Answers its URL. */
export async function startProxy(test: CleanedUp, name: ProxyName, ports: [number, number]): Promise<string> {
  const program = await ensureInstalled(`/usr/sbin/${name}`, name)
  const folder = await temporaryFolder(test)
  // The worker processes of nginx run as another user.
  await chmod(folder, 0o755)
  const port = await freePort()
  const args = await (name === 'nginx' ? nginxArguments : haproxyArguments)(folder, port, ports)
  const child = startChild(test, program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  await listening(url, child)
  return url
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
  const text = withPorts(await readFile(join(DOCS, 'haproxy.cfg'), 'utf8'), ports).replace(
    'bind :80',
    `bind 127.0.0.1:${port}`,
  )
  await writeFile(join(folder, 'haproxy.cfg'), text)
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
