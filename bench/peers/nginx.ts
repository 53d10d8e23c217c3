import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Peer } from './peer.ts'
import { DIFFERS, serving, versionOf } from './web-server.ts'

export const nginx: Peer = {
  name: 'nginx',
  engine: 'SQLite',
  settings: `Debian's package with one worker process (for one core), \`sendfile\` and \`tcp_nopush\` on, \`gzip_static\` on, the access log on
  (to a file) as at Portico, and defaults otherwise.`,
  differs: DIFFERS,
  obtain: () => versionOf('/usr/sbin/nginx', 'nginx', '-v'),
  prepare: async (bench, page) =>
    serving(bench, page, 'nginx', (port, folder) => {
      const configuration = join(folder, 'nginx.conf')
      writeFileSync(configuration, nginxConfiguration(port, folder))
      return ['/usr/sbin/nginx', '-p', folder, '-c', configuration, '-g', 'daemon off;']
    }),
}

const nginxConfiguration = (port: number, folder: string) => `
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  types { text/html html; }
  sendfile on;
  tcp_nopush on;
  gzip_static on;
  access_log ${folder}/access.log;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/site;
  }
}
`
