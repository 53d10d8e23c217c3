// `npm run test:clients`: openapi-generator makes clients of the account API for several languages. Each client is
// compiled, and a journey uses it on a running service. It needs Java, Maven and the tools of the languages, so that
// this command is no part of `npm test`.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram, startChild } from '../support/child.ts'
import { type CleanedUp, cleanUp, manualCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { type Service, startService } from '../support/service.ts'
import { type Command, LANGUAGES, type Language } from './languages.ts'

const VERSION = '7.25.0'
const HERE = import.meta.dirname
const CACHE = join(HERE, '../../node_modules/.cache/clients')
const GENERATOR = join(CACHE, `openapi-generator-cli-${VERSION}.jar`)
const COMMON_TOOLS = [
  { program: 'java', parameters: ['-version'], install: 'Java 11 or later' },
  { program: 'mvn', parameters: ['--version'], install: 'Maven, which downloads openapi-generator from Maven Central' },
]
// Neither tests nor documentation of the clients are needed.
const CODE_ONLY = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'

/** The exit code of a command; undefined when it cannot be started. */
async function exitCode(owner: CleanedUp, command: Command, folder: string, isQuiet = false) {
  const { program, parameters, env } = command
  const stdio = isQuiet ? 'ignore' : 'inherit'
  const child = startChild(owner, program, parameters, { cwd: folder, stdio, env: { ...process.env, ...env } })
  return once(child, 'close').then(
    ([code]): number => code ?? 1,
    () => undefined,
  )
}

async function missingTools(owner: CleanedUp, tools: Language['tools']): Promise<string[]> {
  const missing: string[] = []
  for (const tool of tools) {
    if ((await exitCode(owner, tool, HERE, true)) !== 0) missing.push(tool.install)
  }
  return missing
}

/** Downloads the generator from the repository of the Maven settings. */
async function installGenerator(owner: CleanedUp): Promise<void> {
  if (existsSync(GENERATOR)) return
  const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}`
  await runProgram(owner, 'mvn', ['-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${CACHE}`])
}

async function generate(owner: CleanedUp, { generator, options }: Language, description: string, folder: string) {
  await runProgram(owner, 'java', [
    ...['-jar', GENERATOR, 'generate', '--input-spec', description, '--output', join(folder, 'client')],
    ...['--generator-name', generator, '--global-property', CODE_ONLY, ...options],
  ])
}

/** Whether the client of a language is generated and compiled, and its journey succeeds. */
async function isUsable(owner: CleanedUp, language: Language, service: Service): Promise<boolean> {
  const folder = await temporaryFolder(owner)
  await cp(join(HERE, language.name), folder, { recursive: true })
  const description = join(folder, 'openapi.json')
  await writeFile(description, await (await fetch(`${service.url}/api/openapi.json`)).text())
  await generate(owner, language, description, folder)
  await language.arrange?.(folder)
  for (const command of language.compile(CACHE)) {
    if ((await exitCode(owner, command, folder)) !== 0) return false
  }
  const journey = language.journey(CACHE)
  const env = { ...journey.env, PORTICO_URL: service.url, PORTICO_EMAIL: `${language.name}@example.com` }
  return (await exitCode(owner, { ...journey, env }, folder)) === 0
}

/** Whether all of these languages have a usable client. */
async function testClients(owner: CleanedUp, languages: Language[]): Promise<boolean> {
  const missing = await missingTools(owner, COMMON_TOOLS)
  if (missing.length > 0) {
    print(`Missing on this machine: ${missing.join('; ')}.`)
    return false
  }
  await installGenerator(owner)
  // In development mode the service shows the mailbox, which has the code of a verification.
  const service = await startService('sqlite', { NODE_ENV: 'development' })
  cleanUp(owner, () => service.close())
  let areUsable = true
  for (const language of languages) {
    const missing = await missingTools(owner, language.tools)
    const isGood = missing.length === 0 && (await isUsable(owner, language, service))
    const result = isGood ? 'works' : missing.length > 0 ? `missing on this machine: ${missing.join('; ')}` : 'fails'
    print(`${language.name}: ${result}`)
    areUsable &&= isGood
  }
  return areUsable
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

const chosen = process.argv.slice(2)
const languages = LANGUAGES.filter(({ name }) => chosen.length === 0 || chosen.includes(name))
const { owner, run: end } = manualCleanUp()
try {
  if (!(await testClients(owner, languages))) process.exitCode = 1
} finally {
  await end()
}
