import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ensureInstalled } from '../../test/support/install.ts'
import { freePort } from '../../test/support/local-servers.ts'
import type { Bench } from '../bench.ts'
import { startProgram } from '../measure/server.ts'
import type { Page, Peer, Subject } from './peer.ts'

const REQUEST = { path: '/page.html', headers: { accept: 'text/html', 'accept-encoding': 'gzip' } }

/** The differences between the work of a web server and Portico's. */
export const DIFFERS: Peer['differs'] = {
  page: 'the same HTML as a file, already compressed with gzip; no security headers and no request id',
  'idle memory': 'does nothing but serve files',
  'first response': 'the page',
}

type Command = (port: number, folder: string) => string[]

/** A folder with the page as a file, served by a command that is given a port and the folder. */
export function serving(bench: Bench, { html }: Page, name: string, command: Command): Subject {
  const folder = mkdtempSync(join(bench.folder, `${name}-`))
  const site = join(folder, 'site')
  mkdirSync(site)
  writeFileSync(join(site, 'page.html'), html)
  writeFileSync(join(site, 'page.html.gz'), gzipSync(html, { level: 9 }))
  // Started as root, nginx serves as another user, who must be able to read the folder and the folders above it.
  for (const path of [bench.folder, folder]) chmodSync(path, 0o755)
  return {
    async start() {
      const port = await freePort()
      const place = { log: join(folder, 'output.log'), onServerCore: true }
      return startProgram(command(port, folder), port, { HOME: folder }, place)
    },
    page: REQUEST,
  }
}

/** The version of a program of a Debian package, which is installed when it is missing. */
export async function versionOf(program: string, packageName: string, flag: string): Promise<string> {
  await ensureInstalled(program, packageName)
  const printed = execFileSync('sh', ['-c', `"$0" ${flag} 2>&1`, program], { encoding: 'utf8', timeout: 30_000 })
  return /\d+\.\d+\.\d+/.exec(printed)?.[0] ?? printed.trim()
}
