import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url))
const TESTS = fileURLToPath(new URL('..', import.meta.url))
const ARCHITECTURE = readFileSync(new URL('../../docs/pages/explanation/architecture.md', import.meta.url), 'utf8')

// A file may import from its own place and from places further down, types included.
const LAYERS: Record<string, number> = {
  'main.js': 17,
  cli: 16,
  'index.ts': 15,
  doctor: 15,
  process: 14,
  'app.ts': 13,
  'account-routes.ts': 12,
  publishing: 12,
  pages: 11,
  'portico.ts': 11,
  oauth: 10,
  metrics: 10,
  owner: 10,
  'housekeeping.ts': 10,
  factors: 9,
  people: 9,
  accounts: 8,
  webhooks: 8,
  backup: 8,
  proofs: 7,
  sessions: 6,
  events: 5,
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

// A page that is ready is sent in the iteration of the event loop in which its request was read.
const SENDING_OF_PAGES = 'publishing/site.ts'
const TOKEN_LOOK_UP = ['sessions/authenticate.ts', 'sessions/key-ring.ts', 'sessions/tokens.ts']

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

/** The lines of the code blocks below a heading of the architecture. */
function blocksBelow(heading: string): string[][] {
  const section = ARCHITECTURE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/```\n([\s\S]*?)\n```/g)].map(([, block = '']) => block.split('\n'))
}

describe('the source tree in the architecture', () => {
  const [tree = [], layers = []] = blocksBelow('Source tree')

  it('has every folder and every file of src, and no other', () => {
    const end = tree.findIndex((line) => line.startsWith('test/'))
    const names = tree.slice(1, end).flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? [])
    const entries = readdirSync(SOURCE, { withFileTypes: true })
    assert.deepEqual(names.sort(), entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort())
  })

  it('has every folder of test, and no other', () => {
    const [start, end] = ['test/', 'bench/'].map((name) => tree.findIndex((line) => line.startsWith(name)))
    const described = tree.slice(start, end).join('\n')
    const [, ...names] = described.match(/[a-z]+\//g) ?? []
    const folders = readdirSync(TESTS, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    assert.deepEqual(names.sort(), folders.map(({ name }) => `${name}/`).sort())
  })

  it('has the layers that the imports follow', () => {
    const places = Map.groupBy(Object.keys(LAYERS), (place) => LAYERS[place] ?? 0)
    const expected = [...places].sort(([a], [b]) => b - a).map(([, names]) => names.sort().join(', '))
    assert.deepEqual(layers, expected)
  })
})

describe('the tables in the architecture', () => {
  it('are those of the database, each once', () => {
    const source = readFileSync(join(SOURCE, 'database/tables.ts'), 'utf8')
    const declared = /export interface Tables \{\n([^}]*)\}/.exec(source)?.[1] ?? ''
    const [, section = ''] = ARCHITECTURE.split('\n## The tables\n')
    const described = [...section.matchAll(/^(?:\| `|[ ├└─]*(?:(?:n|0\.\.\d+) +)?)([a-z_]+)(?:`| {2,})/gm)]
    assert.deepEqual(
      described.map(([, name]) => name).sort(),
      [...declared.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name).sort(),
    )
  })
})

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
    assert.deepEqual(filesWith(/import (?!type)[^'"]*from 'node:http'/), ['doctor/visit.ts'])
  })

  it('uses values that may be promises only where a request must not wait for a promise', () => {
    // All other code uses async and await.
    const isAllowed = (file: string) =>
      ['database', 'http', 'limits'].includes(placeOf(file)) || [...TOKEN_LOOK_UP, SENDING_OF_PAGES].includes(file)
    const users = edges.filter(([, other]) => other === 'lib/maybe-promise.ts').map(([file]) => file)
    assert.deepEqual(
      users.filter((file) => !isAllowed(file)),
      [],
    )
  })

  it('compiles generated source in one file only', () => {
    assert.deepEqual(filesWith(/\b(?:new Function|eval)\(/), ['lib/object-literal.ts'])
  })

  it('reads its settings in config.ts only', () => {
    // stopping.ts reads only what started the process, and log.ts only whether colours are wanted. main.js and dev.ts
    // pass the environment on to a child process, thread-env.ts to a thread. init.ts reads which package manager runs
    // it.
    assert.deepEqual(filesWith(/process\.env/), [
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

/** The files of src whose source matches the expression, sorted. */
function filesWith(expression: RegExp): string[] {
  return [...imports.keys()].filter((file) => expression.test(readFileSync(join(SOURCE, file), 'utf8'))).sort()
}

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
