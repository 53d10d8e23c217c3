// `npm run test:lighthouse`: Lighthouse (https://developer.chrome.com/docs/lighthouse) opens pages as a phone with a
// slow network does. It measures time, so that this command is no part of `npm test`.
import { join } from 'node:path'
import { findChromium } from '../support/browser.ts'
import { runProgram } from '../support/child.ts'
import { type CleanedUp, manualCleanUp } from '../support/clean-up.ts'
import { installPackage } from '../support/install.ts'
import { BLOG, DOCS, HOME, LOG_IN, POST, SEARCH } from '../support/shown-pages.ts'
import { startShownSite } from '../support/shown-site.ts'

const PROGRAM = join(import.meta.dirname, 'node_modules/lighthouse/cli/index.js')
const MIN_SCORE = 98
// Other work of the machine lowers a score: the best of some runs counts.
const MAX_RUNS = 3
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo']
const CHROMIUM_FLAGS = '--headless --no-sandbox --disable-gpu'
const PAGES = [HOME, POST, BLOG, SEARCH, LOG_IN, DOCS]
// Lighthouse fetches robots.txt as a script of the page would. The CSP of the public pages forbids that.
const SKIPPED_AUDITS = ['robots-txt']
// Search engines are told not to list these pages (`noindex`).
const UNLISTED = [SEARCH, LOG_IN]
const SKIPPED_WHERE_UNLISTED = ['is-crawlable']

interface Report {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { title: string; score: number | null; displayValue?: string }>
}

const scoresOf = ({ categories }: Report) => CATEGORIES.map((name) => Math.round(100 * (categories[name]?.score ?? 0)))

async function measure(owner: CleanedUp, url: string, skippedAudits: string[]): Promise<Report> {
  const parameters = [
    ...[PROGRAM, url, '--output=json', '--quiet', `--only-categories=${CATEGORIES}`],
    ...[`--chrome-flags=${CHROMIUM_FLAGS}`, `--skip-audits=${skippedAudits}`],
  ]
  const env = { ...process.env, CHROME_PATH: await findChromium() }
  return JSON.parse(await runProgram(owner, process.execPath, parameters, { env }))
}

/** The report of the run with the highest sum of scores. */
async function best(owner: CleanedUp, url: string, skippedAudits: string[]): Promise<Report> {
  const reports: Report[] = []
  const sum = (report: Report) => scoresOf(report).reduce((total, score) => total + score)
  do reports.push(await measure(owner, url, skippedAudits))
  while (reports.length < MAX_RUNS && !reports.some((report) => Math.min(...scoresOf(report)) >= MIN_SCORE))
  return reports.reduce((one, other) => (sum(other) > sum(one) ? other : one))
}

/** The audits that lower a score. */
function weaknesses({ categories, audits }: Report): string[] {
  const counted = Object.values(categories).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0))
  const weak = [...new Set(counted.map(({ id }) => id))].filter((id) => (audits[id]?.score ?? 1) < 0.9)
  return weak.map((id) => `  ${audits[id]?.title} ${audits[id]?.displayValue ?? ''}`)
}

const print = (line: string) => process.stdout.write(`${line}\n`)

const { owner, run: end } = manualCleanUp()
try {
  const version = installPackage(import.meta.dirname, 'lighthouse')
  const site = await startShownSite(owner)
  print(`Lighthouse ${version}: ${CATEGORIES.join(', ')}; at least ${MIN_SCORE}`)
  for (const page of PAGES) {
    const { name, path } = page
    const skippedAudits = [...SKIPPED_AUDITS, ...(UNLISTED.includes(page) ? SKIPPED_WHERE_UNLISTED : [])]
    const report = await best(owner, site.url + path, skippedAudits)
    const scores = scoresOf(report)
    print(`${name}: ${scores.join(', ')}`)
    if (Math.min(...scores) >= MIN_SCORE) continue
    for (const line of weaknesses(report)) print(line)
    process.exitCode = 1
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  await end()
}
