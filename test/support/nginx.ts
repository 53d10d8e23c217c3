import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { startChild } from './child.ts'
import { type CleanedUp, temporaryFolder } from './clean-up.ts'
import { ensureInstalled } from './debian-package.ts'
import { eventually } from './site.ts'

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
