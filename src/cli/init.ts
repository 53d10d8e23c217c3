import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { printable } from '../lib/printable.ts'
import { version } from '../lib/version.ts'
import { CommandError, type Invocation } from './command.ts'
import { usageError } from './parse.ts'
import { type SiteAnswers, siteFiles, writeSite } from './site-files.ts'

const DEFAULT_FOLDER = 'my-site'

/** Creates the folder of a site. Existing files are never overwritten: the folder must be empty. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { args, flag, json, terminal } = invocation
  const mayAsk = terminal.isInteractive && !flag('yes') && !json
  const ask = mayAsk ? createInterface({ input: process.stdin, output: process.stdout }) : undefined
  let folder: string
  let answers: SiteAnswers
  try {
    folder = resolve(args[0] ?? (await question('Folder', DEFAULT_FOLDER)))
    refuseUsedFolder(folder)
    answers = {
      name: packageName(folder),
      title: oneLine('title', invocation.text('title') ?? (await question('Title of the site', titleOf(folder)))),
      author: oneLine('author', invocation.text('author') ?? (await question('Your name', ''))),
      url: publicUrl(invocation.text('url') ?? (await question('Public address, if you have one', ''))),
      portico: packageSource(invocation.text('portico') ?? `^${version}`),
    }
  } finally {
    ask?.close()
  }
  const files = await siteFiles(answers)
  await writeSite(folder, files)
  const manager = packageManager()
  if (!flag('no-install')) await install(manager, folder)
  if (json) {
    terminal.printJson({ folder, files: Object.keys(files) })
    return
  }
  const steps = [...(flag('no-install') ? [`${manager} install`] : []), `${manager} start`]
  terminal.print(`Created ${terminal.paint('bold', answers.title)} in ${folder}`)
  terminal.print()
  terminal.print('Next:')
  for (const step of [`cd ${quoted(relative(process.cwd(), folder) || '.')}`, ...steps]) terminal.print(`  ${step}`)

  async function question(label: string, fallback: string): Promise<string> {
    const hint = fallback ? ` (${fallback})` : ''
    return (await ask?.question(`${label}${hint}: `))?.trim() || fallback
  }
}

const MAX_NAMED_FILES = 3

/** A folder that has only version control data counts as empty. */
function refuseUsedFolder(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new CommandError(`${folder} is not a folder`)
  const used = readdirSync(folder).filter((name) => name !== '.git')
  const names = [...used.slice(0, MAX_NAMED_FILES).map(printable), ...(used.length > MAX_NAMED_FILES ? ['others'] : [])]
  if (used.length > 0) throw new CommandError(`${folder} is not empty: it has ${names.join(', ')}`)
}

/** A word of a command, to be pasted into a shell. */
function quoted(path: string): string {
  if (/^[\w./\\:@+][\w./\\:@+-]*$/.test(path)) return path
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`
}

/** A valid name for package.json: lower case, without characters that are not safe in a URL. */
function packageName(folder: string): string {
  return (
    basename(folder)
      // Letters without their accents (Unicode Standard Annex #15).
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || DEFAULT_FOLDER
  )
}

function titleOf(folder: string): string {
  const words = basename(folder).replace(/[-_]+/g, ' ').trim()
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : 'My site'
}

const MAX_TITLE_CHARACTERS = 100

function oneLine(option: string, value: string): string {
  if (value.length <= MAX_TITLE_CHARACTERS && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return value
  throw usageError(`--${option} must be one line of at most ${MAX_TITLE_CHARACTERS} characters`)
}

function publicUrl(value: string): string {
  // A parser of URLs ignores line breaks. In .env they would begin another setting.
  const isOneWord = !/[\s\p{Cc}]/u.test(value)
  if (value === '' || (isOneWord && URL.parse(value)?.protocol === 'https:')) return value.replace(/\/$/, '')
  throw usageError('--url must start with https://')
}

/**
 * The value for package.json: a version, an address, or the absolute path of a package. A clone is no package: it has
 * no command. A path that does not exist is refused, because npm takes `name/name` for a repository on GitHub.
 */
function packageSource(value: string): string {
  if (!existsSync(value)) {
    if (!/[/\\]/.test(value) || value.includes(':')) return value
    throw usageError(`--portico: there is no ${value}. "npm run build" in a clone makes a package, in build/portico`)
  }
  const path = resolve(value)
  if (statSync(path).isDirectory() && !existsSync(join(path, 'dist/main.js')))
    throw usageError(`--portico: ${value} is not a package. "npm run build" in a clone makes it, in build/portico`)
  return path
}

/** The package manager that runs this command (`npm_config_user_agent` is set by npm, pnpm and yarn). */
function packageManager(): string {
  const [, name = 'npm'] = /^(npm|pnpm|yarn|bun)\//.exec(process.env.npm_config_user_agent ?? '') ?? []
  return name
}

async function install(manager: string, cwd: string): Promise<void> {
  // stdout has the result of this command alone.
  const child = spawn(manager, ['install'], { cwd, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  const [code] = await once(child, 'exit').catch(() => [1])
  if (code !== 0) {
    throw new CommandError(
      `The folder is complete, but "${manager} install" failed there: run it again in ${cwd}. If the registry has no package ` +
        'portico, set it in package.json to the folder build/portico of a clone, which "npm run build" makes there.',
    )
  }
}
