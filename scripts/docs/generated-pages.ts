import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
// Loads every module that declares an error code.
import '../../src/app.ts'
import { accountRoutes } from '../../src/account-routes.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { helpFor } from '../../src/cli/help.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { readConfig } from '../../src/config/config.ts'
import {
  SECRET_SETTINGS,
  SETTING_DESCRIPTIONS,
  type SettingDescription,
} from '../../src/config/setting-descriptions.ts'
import { CONTENT_ROUTES } from '../../src/content/content-routes.ts'
import type { OperationRoute } from '../../src/http/operation.ts'
import { errorCodes } from '../../src/pages/api/error-codes.ts'
import { assemble } from '../../src/portico.ts'

const MARK = '<!-- Written by "npm run docs:generate" from the source. Do not edit. -->'
// As wide as the text of a page.
const HELP_COLUMNS = 70

/** The pages of the reference that are made from the source, by their file in docs/. */
export async function generatedPages(): Promise<Record<string, string>> {
  return {
    'pages/reference/settings.md': settingsPage(),
    'pages/reference/command-line.md': commandLinePage(),
    'pages/reference/endpoints.md': endpointsPage(await operations()),
    'pages/reference/error-codes.md': errorCodesPage(),
  }
}

function page(title: string, description: string, parts: string[]): string {
  return `${[`---\ntitle: ${title}\ndescription: ${description}\n---`, MARK, ...parts].join('\n\n')}\n`
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const code = (text: string) => `\`${text}\``

function settingsPage(): string {
  return page('Settings', 'Every setting with its default.', [
    `Settings are read from the environment, or from a file \`.env\` in the working directory. The start reports all faults
together, including broken lines and misspelt names in \`.env\`, with the nearest setting.`,
    `A setting with a secret may also be read from a file, which the same name with \`_FILE\` at its end names:
${SECRET_SETTINGS.map((name) => code(`${name}_FILE`)).join(',\n')}.`,
    ...Object.entries(SETTING_DESCRIPTIONS).flatMap(([subject, settings]) => [
      `## ${subject}`,
      table(
        ['setting', 'default', 'meaning'],
        settings.map((setting) => [setting.names.map(code).join(', '), defaultOf(setting), linked(setting.meaning)]),
      ),
    ]),
    `An address is an IPv4 address or an IPv6 /64. Limits with "more for its network" also count the networks that contain
it: an IPv6 /56 has twice the rate of an address, an IPv4 /24 or an IPv6 /48 four times.`,
  ])
}

/** An address is code, so that it does not become a link. */
function defaultOf(setting: SettingDescription): string {
  return setting.default.includes('://') ? code(setting.default) : setting.default
}

/** The same text is in `.env`, where a link has no use. */
function linked(meaning: string): string {
  return meaning.replace('guide on sign-in providers', '[guide on sign-in providers](../guides/sign-in-providers.md)')
}

function commandLinePage(): string {
  // The text is the same on a terminal, but with colours and in another width.
  const terminal = { ...createTerminal(process.stdout, process.stderr), columns: HELP_COLUMNS, paint: plain }
  return page('Command line', 'Every command of portico with its options.', [
    `\`portico COMMAND\` runs a command, and \`portico COMMAND --help\` prints what follows here. Commands read the settings from
the environment and from \`.env\` in the working directory, as the server does. Exit codes: 0 success, 1 failure or a
finding, 2 wrong arguments. In a clone of the repository, the command is \`npm run portico --\`.`,
    table(
      ['command', ''],
      COMMANDS.map(({ name, args = [], summary }) => [code(['portico', name, ...args].join(' ')), summary]),
    ),
    ...COMMANDS.flatMap((command) => [
      `## portico ${command.name}`,
      `\`\`\`text\n${helpFor(command, terminal)}\n\`\`\``,
    ]),
  ])
}

const plain = (_style: unknown, text: string) => text

function endpointsPage(routes: OperationRoute[]): string {
  return page('Endpoints', 'Every call of the account API and of the content API.', [
    `The description of the account API is at \`/api/openapi.json\` (OpenAPI 3.1), and as a page with examples at
\`/docs/account-api\`. Both are generated from the schemas that validate the requests. \`/openapi.json\` and
\`/docs/content-api\` describe the content API.`,
    '## Account API',
    table(
      ['call', 'signed in', ''],
      routes.map(([method, path, { access, summary }]) => [
        code(`${method} ${path}`),
        access === 'signed-in' ? '✓' : '',
        summary,
      ]),
    ),
    '## Content API',
    table(
      ['call', 'type', ''],
      CONTENT_ROUTES.map(({ path, type, summary }) => [code(`GET ${path}`), type, summary]),
    ),
    `Further endpoints: \`/.well-known/jwks.json\` (the public keys, for services that verify tokens themselves), \`/healthz\`
(the process runs), \`/readyz\` (the database is reachable and the site is prepared), and \`/metrics\` for Prometheus, when it
is turned on.`,
  ])
}

function errorCodesPage(): string {
  return page('Error codes', 'The codes of all errors of the account API.', [
    errorCodes().replace(/^## Error codes\n\n/, ''),
  ])
}

/** The operations of a service that was assembled for this. */
async function operations(): Promise<OperationRoute[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-docs-'))
  try {
    const portico = await assemble(readConfig({ DATA_DIR: folder }), pino({ level: 'silent' }))
    await using _ = { [Symbol.asyncDispose]: () => portico.close() }
    return accountRoutes(portico)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
