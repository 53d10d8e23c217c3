import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url))

// A file may import from its own place and from places further down, types included.
const LAYERS: Record<string, number> = {
  'main.js': 16,
  cli: 15,
  'index.ts': 14,
  doctor: 14,
  process: 13,
  'app.ts': 12,
  'account-routes.ts': 11,
  publishing: 11,
  pages: 10,
  'portico.ts': 10,
  oauth: 9,
  metrics: 9,
  owner: 9,
  'housekeeping.ts': 9,
  factors: 8,
  people: 8,
  accounts: 7,
  webhooks: 7,
  backup: 7,
  proofs: 6,
  sessions: 5,
  content: 5,
  limits: 5,
  pictures: 4,
  mail: 4,
  http: 4,
  database: 3,
  logging: 2,
  config: 1,
  lib: 0,
}

/** Every file of src with the files of src that it imports, statically or dynamically, values or types. */
const imports = new Map(
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') || file.endsWith('.js'))
    .map((file) => [file, importedBy(file)]),
)

function importedBy(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), 'utf8')
  const named = [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+\.[jt]s)['"]/g)].map(([, path]) => path ?? '')
  return named.map((path) => relative(SOURCE, join(SOURCE, dirname(file), path)))
}

const placeOf = (file: string) => file.split('/')[0] ?? ''
const edges = [...imports].flatMap(([file, others]) => others.map((other) => [file, other] as const))

describe('the structure of src', () => {
  it('is read completely', () => {
    assert.ok(imports.size > 50)
    assert.deepEqual(
      edges.filter(([, other]) => !imports.has(other)).map((edge) => edge.join(' imports the unknown ')),
      [],
    )
    assert.ok(imports.get('account-routes.ts')?.includes('accounts/log-in.ts'))
    assert.ok(imports.get('accounts/parts.ts')?.includes('sessions/start.ts'))
  })

  it('gives every file a place', () => {
    assert.deepEqual(
      [...imports.keys()].filter((file) => !(placeOf(file) in LAYERS)),
      [],
    )
  })

  it('lets imports run one way only', () => {
    const isAllowed = (file: string, other: string) =>
      placeOf(file) === placeOf(other) || (LAYERS[placeOf(other)] ?? 0) < (LAYERS[placeOf(file)] ?? 0)
    assert.deepEqual(
      edges.filter(([file, other]) => !isAllowed(file, other)).map((edge) => edge.join(' must not import ')),
      [],
    )
  })

  it('lets only portico.ts import the store of a folder', () => {
    const isForeign = (file: string, other: string) =>
      other.endsWith('/store.ts') && placeOf(file) !== placeOf(other) && file !== 'portico.ts'
    assert.deepEqual(
      edges.filter(([file, other]) => isForeign(file, other)).map((edge) => edge.join(' must not import ')),
      [],
    )
  })

  it('lets no file of http declare or read a table of the database', () => {
    const ofHttp = [...imports].filter(([file]) => placeOf(file) === 'http')
    assert.ok(ofHttp.length > 20)
    const statement = /\b(insertInto|selectFrom|updateTable|deleteFrom)\b/
    const knowing = ofHttp.filter(
      ([file, others]) =>
        statement.test(readFileSync(join(SOURCE, file), 'utf8')) ||
        others.some((other) => /^database\/(.+-)?tables\.ts$/.test(other)),
    )
    assert.deepEqual(
      knowing.map(([file]) => file),
      [],
    )
  })

  it('has no circular import', () => {
    assert.deepEqual(circles(), [])
  })

  it('imports values of node:http only in commands, since that import costs 15 MiB of memory', () => {
    const importing = [...imports.keys()].filter((file) =>
      /import (?!type)[^'"]*from 'node:http'/.test(readFileSync(join(SOURCE, file), 'utf8')),
    )
    assert.deepEqual(importing, ['doctor/visit.ts'])
  })

  it('reads its settings in config.ts only', () => {
    // stopping.ts reads only what started the process, and log.ts only whether colours are wanted. main.js and dev.ts
    // pass the environment on to a child process, thread-env.ts to a thread. init.ts reads which package manager runs it.
    const readers = [...imports.keys()].filter((file) => /process\.env/.test(readFileSync(join(SOURCE, file), 'utf8')))
    assert.deepEqual(readers.sort(), [
      'cli/dev.ts',
      'cli/init.ts',
      'config/config.ts',
      'lib/thread-env.ts',
      'logging/log.ts',
      'main.js',
      'process/stopping.ts',
    ])
  })
})

/** Each cycle once, as "a.ts → b.ts → a.ts". */
function circles(): string[] {
  const found: string[] = []
  const done = new Set<string>()
  function walk(file: string, path: string[]) {
    const start = path.indexOf(file)
    if (start >= 0) {
      found.push([...path.slice(start), file].join(' → '))
      return
    }
    if (done.has(file)) return
    for (const other of imports.get(file) ?? []) walk(other, [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) walk(file, [])
  return found
}
