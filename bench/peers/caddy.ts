import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Peer } from './peer.ts'
import { DIFFERS, serving, versionOf } from './web-server.ts'

export const caddy: Peer = {
  name: 'Caddy',
  engine: 'SQLite',
  settings: `Debian's package, \`file_server\` with \`precompressed gzip\`, the access log on (to a file) as at Portico, and defaults
  otherwise; plain HTTP.`,
  differs: DIFFERS,
  obtain: () => versionOf('/usr/bin/caddy', 'caddy', 'version'),
  prepare: async (bench, page) =>
    serving(bench, page, 'caddy', (port, folder) => {
      const configuration = join(folder, 'Caddyfile')
      writeFileSync(configuration, caddyfile(port, folder))
      return ['/usr/bin/caddy', 'run', '--config', configuration]
    }),
}

const caddyfile = (port: number, folder: string) => `
{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  root * ${folder}/site
  file_server {
    precompressed gzip
  }
  log {
    output file ${folder}/access.log
  }
}
`
