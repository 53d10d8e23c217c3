// `npm run test:schema`: Schemathesis makes requests from both OpenAPI documents and judges the responses by them
// (https://schemathesis.readthedocs.io). It is a Python program, so that this command is no part of `npm test`.
import type { SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMIT_NAMES, limitSetting } from '../../src/config/limit-kinds.ts'
import { someone } from '../support/accounts.ts'
import { startChild } from '../support/child.ts'
import { manualCleanUp } from '../support/clean-up.ts'
import { startGithub } from '../support/contribution-calendar.ts'
import { createPostgres, makePostgresTemplate } from '../support/databases.ts'
import { listenOnLoopback, sendJson } from '../support/local-servers.ts'
import { ENGINES, type EngineName, startService } from '../support/service.ts'
import { eventually } from '../support/site.ts'

const VERSION = '4.32.5'
const HERE = import.meta.dirname
const ENVIRONMENT = join(HERE, `../../node_modules/.cache/schemathesis-${VERSION}`)
const PROGRAM = join(ENVIRONMENT, process.platform === 'win32' ? 'Scripts/schemathesis.exe' : 'bin/schemathesis')
const PYTHON = process.platform === 'win32' ? 'python' : 'python3'
const EXAMPLES = process.env.SCHEMA_EXAMPLES ?? '40'
const ALL_PHASES = 'examples,coverage,fuzzing,stateful'
const RUN_LIMIT_SECONDS = 600
// On one engine the limits are counted, so that their headers are in the description and in the responses. The rates are
// above the number of requests of a run.
const RAISED_LIMITS = {
  RATE_LIMITS: 'on',
  ...Object.fromEntries(LIMIT_NAMES.map((name) => [limitSetting(name), '100000000/1h'])),
}
const LIMITS: Record<EngineName, Record<string, string>> = { sqlite: {}, postgres: RAISED_LIMITS }

/** The exit code of a program; undefined when it cannot be started. */
async function run(command: string, parameters: string[], options: SpawnOptions = {}): Promise<number | undefined> {
  const { owner, run: cleanUp } = manualCleanUp()
  try {
    const [code] = await once(startChild(owner, command, parameters, { stdio: 'inherit', ...options }), 'close')
    return code ?? 1
  } catch {
    return undefined
  } finally {
    await cleanUp()
  }
}

async function install(): Promise<void> {
  if (existsSync(PROGRAM)) return
  const hasPython = (await run(PYTHON, ['-c', 'import venv, ensurepip'], { stdio: 'ignore' })) === 0
  if (!hasPython) {
    fail(`This needs Python 3.10 or later with venv and pip (Debian: apt-get install python3-venv), as "${PYTHON}".`)
  }
  process.stdout.write(`Installing Schemathesis ${VERSION} from PyPI …\n`)
  const made = await run(PYTHON, ['-m', 'venv', ENVIRONMENT])
  const parameters = ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]
  const installed = made === 0 && (await run(join(PROGRAM, '../python'), ['-m', 'pip', ...parameters])) === 0
  if (installed) return
  await rm(ENVIRONMENT, { recursive: true, force: true })
  fail(`pip could not install schemathesis==${VERSION}: see its output above.`)
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

/** Whether both descriptions match a service on this engine, for a visitor and for a signed-in user. */
async function isTrue(engine: EngineName): Promise<boolean> {
  const github = await startGithub()
  const settings = { ...github.settings, ...LIMITS[engine], CONTENT_DIR: join(HERE, '../../content') }
  const service = await startService(engine, settings)
  await eventually(async () => {
    if ((await fetch(`${service.url}/contributions.svg`)).status !== 200) throw new Error('there is no calendar yet')
  })
  // Each case of Schemathesis gets an account of its own here, so that a log-out or a deletion ends no other case.
  const accounts = await listenOnLoopback(async (_request, response) => sendJson(response, await someone(service)))
  try {
    let isClean = true
    for (const [title, path, phases, accountsUrl] of [
      ['content API', '/openapi.json', ALL_PHASES, ''],
      // The phase "coverage" would only repeat the 401 of most operations.
      ['account API, not signed in', '/api/openapi.json', 'examples,fuzzing', ''],
      ['account API, signed in', '/api/openapi.json', ALL_PHASES, accounts.url],
    ] as const) {
      if (!title.includes(process.env.SCHEMA_RUN ?? '')) continue
      process.stdout.write(`\n=== ${title}, ${engine}\n`)
      const code = await run(
        PROGRAM,
        [
          ...['--config-file', join(HERE, 'schemathesis.toml'), 'run', `${service.url}${path}`],
          ...['--url', service.url, '--phases', phases, '--max-examples', EXAMPLES],
        ],
        { env: { ...process.env, ACCOUNTS_URL: accountsUrl }, timeout: RUN_LIMIT_SECONDS * 1000 },
      )
      isClean &&= code === 0
    }
    return isClean
  } finally {
    await accounts.close()
    await service.close()
    await github.close()
  }
}

await install()
const engines = process.argv.slice(2).length > 0 ? ENGINES.filter((engine) => process.argv.includes(engine)) : ENGINES
const postgres = engines.includes('postgres') ? await createPostgres(['-c', 'fsync=off']) : undefined
await postgres?.start()
if (postgres) await makePostgresTemplate(postgres)
process.env.TEST_POSTGRES_URL = postgres?.url ?? ''
let isClean = true
for (const engine of engines) isClean = (await isTrue(engine)) && isClean
await postgres?.stop()
process.exit(isClean ? 0 : 1)
