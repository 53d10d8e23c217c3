// `npm run test:html`: the checker of the W3C (https://validator.github.io/validator/) reads the HTML of every page. It
// is a Java program, so that this command is no part of `npm test`.
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { launchChromium } from '../support/browser.ts'
import { runProgram } from '../support/child.ts'
import { type CleanedUp, manualCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { installPackage } from '../support/install.ts'
import { openShown, SHOWN_PAGES } from '../support/shown-pages.ts'
import { startShownSite } from '../support/shown-site.ts'

const CHECKER = join(import.meta.dirname, 'node_modules/vnu-jar/build/dist/vnu.jar')

interface Message {
  type: 'error' | 'info' | 'non-document-error'
  url?: string
  lastLine?: number
  message: string
  extract?: string
}

/** Writes the HTML of every page into the folder, as the service sent it. */
async function savePages(owner: CleanedUp, folder: string): Promise<void> {
  const site = await startShownSite(owner)
  const browser = await launchChromium(owner)
  for (const isForMember of [false, true]) {
    const page = await (await site.context(browser, isForMember)).newPage()
    for (const shown of SHOWN_PAGES.filter((each) => (each.isForMember ?? false) === isForMember)) {
      const response = await openShown(page, site, shown)
      await writeFile(join(folder, `${shown.name}.html`), await response.body())
    }
  }
}

/** Errors and advice about the files of a folder. */
async function check(owner: CleanedUp, folder: string): Promise<Message[]> {
  const parameters = ['-jar', CHECKER, '--format', 'json', '--stdout', '--exit-zero-always', folder]
  return JSON.parse(await runProgram(owner, 'java', parameters)).messages
}

const lineOf = ({ type, url = '', lastLine, message, extract = '' }: Message) =>
  `${basename(url)}:${lastLine}: ${type}: ${message} ${extract.replaceAll('\n', ' ')}`

const { owner, run: end } = manualCleanUp()
try {
  if (spawnSync('java', ['-version']).status !== 0) {
    throw new Error(
      'Missing on this machine: Java 11 or later, as "java" (Debian: apt-get install default-jre-headless).',
    )
  }
  const version = installPackage(import.meta.dirname, 'vnu-jar')
  const folder = await temporaryFolder(owner)
  await savePages(owner, folder)
  const messages = await check(owner, folder)
  const errors = messages.filter(({ type }) => type !== 'info')
  for (const message of messages) process.stdout.write(`${lineOf(message)}\n`)
  process.stdout.write(`vnu ${version}: ${errors.length} errors on ${SHOWN_PAGES.length} pages\n`)
  if (errors.length > 0) process.exitCode = 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  await end()
}
