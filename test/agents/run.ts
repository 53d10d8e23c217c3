// `npm run test:agents`: programs that check sites for agents read a site with sample content. AFDocs (https://afdocs.dev)
// checks what agents find and read, and the MCP inspector calls the MCP server. Both have many dependencies, so that this
// command is no part of `npm test`. The rules of the Agent Readability Scorecard are checked by scorecard.ts.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { runProgram, startChild } from '../support/child.ts'
import { type CleanedUp, cleanUp, manualCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { installPackage } from '../support/install.ts'
import { freePort } from '../support/local-servers.ts'
import { startService } from '../support/service.ts'
import { checkScorecard, RULES_LEFT_OUT } from './scorecard.ts'

const CONTENT_DIR = join(import.meta.dirname, '../../content')
const MODULES = join(import.meta.dirname, 'node_modules')
const AFDOCS = join(MODULES, 'afdocs/bin/afdocs.mjs')
const INSPECTOR = join(MODULES, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')

// The references of the APIs: in HTML they have examples in several languages, which the markdown leaves out, and that of
// the account API has 150,000 characters. The MCP tool describe_api has the description of each path.
const EXCLUDED_PAGES = ['/docs/account-api', '/docs/content-api']
// The place of the content as a share of the page: the navigation is a large share of a page with a list of three posts.
const SKIPPED_CHECKS = ['content-start-position']
// Checks that may warn, with the reason.
const KNOWN_WARNINGS = new Map([
  [
    'llms-txt-directive-md',
    'the line is the first one after the front matter, which is the larger half of a list of one post',
  ],
])

interface CheckResult {
  id: string
  status: 'pass' | 'warn' | 'fail' | 'skip' | 'error'
  message: string
}

const print = (line: string) => process.stdout.write(`${line}\n`)

/** A site with the content of this repository, as a published site serves it. */
async function startSample(owner: CleanedUp): Promise<string> {
  const port = String(await freePort())
  const BASE_URL = `http://localhost:${port}`
  const service = await startService('sqlite', { PORT: port, BASE_URL, CONTENT_DIR, SMTP_URL: 'smtp://127.0.0.1:9' })
  cleanUp(owner, () => service.close())
  return BASE_URL
}

/** All pages of the sitemap, except the ones that the checks do not apply to. */
async function pagesOf(url: string): Promise<string[]> {
  const sitemap = await (await fetch(`${url}/sitemap.xml`)).text()
  const pages = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, page = '']) => page)
  return pages.filter((page) => !EXCLUDED_PAGES.includes(new URL(page).pathname))
}

/** The results of all checks, each printed. */
async function checkDocs(owner: CleanedUp, url: string): Promise<CheckResult[]> {
  const parameters = [
    ...['check', url, '--format', 'json', '--quiet', '--request-delay', '0', '--max-links', '200'],
    ...['--urls', (await pagesOf(url)).join(','), '--skip-checks', SKIPPED_CHECKS.join(',')],
    // Parts of the HTML that lead elsewhere: the link beside each heading, and the links of the cards on /docs.
    ...['--parity-exclusions', '.anchor,.api-links,.meta'],
  ]
  // Its exit status is 1 if a check fails, and the report is needed then too.
  const { stdout } = startChild(owner, process.execPath, [AFDOCS, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  assert.ok(stdout)
  const { results } = JSON.parse(await text(stdout)) as { results: CheckResult[] }
  for (const { id, status, message } of results) {
    const reason = status === 'warn' && KNOWN_WARNINGS.get(id)
    print(`  ${status} ${id}: ${message}${reason ? ` (accepted: ${reason})` : ''}`)
  }
  return results
}

/** Calls the MCP server once for each method and tool. */
async function inspectMcp(owner: CleanedUp, url: string): Promise<void> {
  const env = { ...process.env, HOME: await temporaryFolder(owner) }
  for (const parameters of [
    ['tools/list'],
    ['resources/list'],
    ['resources/templates/list'],
    ['resources/read', '--uri', `${url}/about.md`],
    ['tools/call', '--tool-name', 'search', '--tool-arg', 'query=account'],
    ['tools/call', '--tool-name', 'list', '--tool-arg', 'kind=pages'],
    ['tools/call', '--tool-name', 'read', '--tool-arg', 'address=/about'],
    ['tools/call', '--tool-name', 'describe_api', '--tool-arg', 'api=content'],
  ]) {
    const printed = await runProgram(
      owner,
      process.execPath,
      [INSPECTOR, '--cli', `${url}/mcp`, '--method', ...parameters],
      {
        env,
      },
    )
    if (JSON.parse(printed).isError) throw new Error(`${parameters.join(' ')}: ${printed}`)
    print(`  pass ${parameters.join(' ')}`)
  }
}

const { owner, run: end } = manualCleanUp()
try {
  const afdocs = installPackage(import.meta.dirname, 'afdocs')
  const inspector = installPackage(import.meta.dirname, '@modelcontextprotocol/inspector')
  const url = await startSample(owner)
  print(`AFDocs ${afdocs}:`)
  const results = await checkDocs(owner, url)
  print(`MCP inspector ${inspector}:`)
  await inspectMcp(owner, url)
  print('Agent Readability Scorecard 0.2.0:')
  const rules = await checkScorecard(url)
  for (const { id, count, failures } of rules)
    print(`  ${failures.length > 0 ? `fail ${id}: ${failures.join(', ')}` : `pass ${id}: ${count}`}`)
  for (const [id, reason] of RULES_LEFT_OUT) print(`  left out ${id}: ${reason}`)
  const isGood = ({ id, status }: CheckResult) =>
    status === 'pass' || status === 'skip' || (status === 'warn' && KNOWN_WARNINGS.has(id))
  const hasFailures = !results.every(isGood) || rules.some(({ failures }) => failures.length > 0)
  if (results.length === 0 || hasFailures) process.exitCode = 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  await end()
}
