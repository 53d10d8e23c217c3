// `npm run build`: makes the packages that are published, in build/.
//   build/portico          the server and the command `portico`, bundled
//   build/create-portico   `npm create portico`, which runs `portico init`
//   build/portico-node-*   the Node that Portico needs: for this machine, or with --all-platforms for every platform
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import metadata from '../../package.json' with { type: 'json' }
import { bundle } from './bundle.ts'
import { writeDeclarations } from './declarations.ts'
import { licencesOf } from './licences.ts'
import { buildNodePackages, NODE_PLATFORMS } from './node-packages.ts'
import { copyText } from './package-texts.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BUILD = join(ROOT, 'build')
const PORTICO = join(BUILD, 'portico')
const DIST = join(PORTICO, 'dist')
const CREATE = join(BUILD, 'create-portico')

// The packages that the bundle imports when it runs: native code, data that is loaded by name, and a library that is
// loaded synchronously with the first formula.
const EXTERNAL = [
  'sharp',
  'shiki',
  '@shikijs/themes',
  '@fontsource-variable/instrument-sans',
  '@fontsource/instrument-sans',
  '@fontsource/source-serif-4',
  '@fontsource/jetbrains-mono',
  '@fontsource/noto-emoji',
  '@fontsource/dejavu-sans',
  'temml',
] as const

const { version, description, license, engines, dependencies } = metadata

rmSync(BUILD, { recursive: true, force: true })
mkdirSync(DIST, { recursive: true })
const bundled = await bundle(join(ROOT, 'src'), DIST, EXTERNAL)
// main.js is copied as it is, because old versions of Node must be able to parse it.
cpSync(join(ROOT, 'src/main.js'), join(DIST, 'main.js'))
cpSync(join(ROOT, 'src/pages/styles'), join(DIST, 'styles'), { recursive: true })
cpSync(join(ROOT, 'src/cli/template'), join(DIST, 'template'), { recursive: true })
copyScripts()
writeDeclarations(ROOT, DIST)
for (const name of ['LICENSE', 'deploy', 'docs']) cpSync(join(ROOT, name), join(PORTICO, name), { recursive: true })
for (const name of ['SECURITY.md', 'CHANGELOG.md', 'README.md']) copyText(name, ROOT, PORTICO)
writeFileSync(join(PORTICO, 'THIRD-PARTY-LICENCES.md'), licencesOf(bundled))
writeJson(join(PORTICO, 'package.json'), {
  name: 'portico',
  version,
  description,
  license,
  type: 'module',
  engines,
  bin: { portico: 'dist/main.js' },
  exports: {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './command': './dist/main.js',
    './package.json': './package.json',
  },
  files: ['deploy', 'dist', 'docs', 'CHANGELOG.md', 'SECURITY.md', 'THIRD-PARTY-LICENCES.md'],
  dependencies: Object.fromEntries(EXTERNAL.map((name) => [name, dependencies[name]])),
  optionalDependencies: Object.fromEntries(NODE_PLATFORMS.map(({ name, version }) => [name, version])),
})

mkdirSync(CREATE)
writeFileSync(
  join(CREATE, 'main.js'),
  `#!/usr/bin/env node
// \`npm create portico FOLDER\` is \`portico init FOLDER\`.
process.argv.splice(2, 0, 'init')
import('portico/command')
`,
)
cpSync(join(ROOT, 'LICENSE'), join(CREATE, 'LICENSE'))
writeJson(join(CREATE, 'package.json'), {
  name: 'create-portico',
  version,
  description: 'Creates the folder of a site that Portico serves: npm create portico my-site',
  license,
  type: 'module',
  engines,
  bin: { 'create-portico': 'main.js' },
  files: ['main.js'],
  dependencies: { portico: version },
})

buildNodePackages(ROOT, BUILD, process.argv.includes('--all-platforms'))
process.stdout.write(`The packages of Portico ${version} are in ${BUILD}\n`)

/** The scripts of the pages, without their types. */
function copyScripts(): void {
  mkdirSync(join(DIST, 'web'))
  const folder = join(ROOT, 'src/pages/web')
  for (const file of readdirSync(folder).filter((file) => file.endsWith('.ts'))) {
    const source = readFileSync(join(folder, file), 'utf8')
    writeFileSync(join(DIST, 'web', file.replace(/\.ts$/, '.js')), stripTypeScriptTypes(source))
  }
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}
