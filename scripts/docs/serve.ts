// `npm run docs`: serves the documentation in docs/ with Portico itself, on PORT (3000).
import { join } from 'node:path'
import { main } from '../../src/cli/main.ts'

const ROOT = join(import.meta.dirname, '../..')

Object.assign(process.env, {
  NODE_ENV: 'development',
  CONTENT_DIR: join(ROOT, 'docs'),
  // Its own, so that it does not change the data of a service in the same folder.
  DATA_DIR: join(ROOT, 'node_modules/.cache/docs'),
  DATABASE_URL: '',
})
await main(['serve'])
