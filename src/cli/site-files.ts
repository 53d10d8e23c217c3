import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { SETTING_DESCRIPTIONS } from '../config/setting-descriptions.ts'
import { wrap } from './terminal.ts'

export interface SiteAnswers {
  /** The name in package.json. */
  name: string
  title: string
  author: string
  /** The public address, or an empty text. */
  url: string
  /** The version or location of Portico in package.json. */
  portico: string
}

const TEMPLATE = fileURLToPath(new URL('./template/', import.meta.url))
// npm leaves `.gitignore` out of packages and uses it to exclude other files, so the template has another name.
const RENAMED: Record<string, string> = { gitignore: '.gitignore' }

/** The files of a new site by path. */
export async function siteFiles(answers: SiteAnswers): Promise<Record<string, string>> {
  const files: Record<string, string> = { 'package.json': packageJson(answers), '.env': dotEnv(answers) }
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(TEMPLATE.length)
    files[RENAMED[name] ?? name] = fill(await readFile(path, 'utf8'), answers)
  }
  return files
}

/** Writes the files. Fails if one of them exists. Only the owner can read `.env`, which will have secrets. */
export async function writeSite(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o644 })
  }
}

/** Replaces the placeholders. Titles and names become YAML scalars, quoted where YAML needs it. */
function fill(text: string, { title, author }: SiteAnswers): string {
  const values: Record<string, string> = {
    title: yamlLine(title),
    author: yamlLine(author || title),
    heading: title,
    today: new Date().toISOString().slice(0, 10),
  }
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
}

/** By default a text of more than 80 characters is folded, and the template would end it at the first line. */
function yamlLine(text: string): string {
  return stringify(text, { lineWidth: 0 }).trim()
}

function packageJson({ name, portico }: SiteAnswers): string {
  const content = {
    name,
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: { start: 'portico serve', dev: 'portico dev', doctor: 'portico doctor' },
    dependencies: { portico },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

const COMMENT_WIDTH = 100

/** Every setting with its description, all of them off, so that the site starts with the defaults. */
function dotEnv({ url }: SiteAnswers): string {
  const lines = [
    ...comment('The settings of this site. Remove the # in front of a name to set it. `npm run doctor` checks them.'),
    ...comment('For production, set NODE_ENV, BASE_URL and SMTP_URL.'),
    ...comment('A secret may be in a file of its own: the setting SMTP_URL_FILE is the path of a file with SMTP_URL.'),
  ]
  for (const [subject, settings] of Object.entries(SETTING_DESCRIPTIONS)) {
    lines.push('', `# --- ${subject} ---`)
    for (const { names, default: value, meaning } of settings) {
      lines.push('', ...comment(`${sentence(meaning)}.`), ...comment(`Default: ${value}`))
      for (const name of names) lines.push(`# ${name}=${name === 'BASE_URL' ? url : ''}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** Text without markdown. Values are quoted, and a sentence that begins with a word has a capital letter. */
function sentence(meaning: string): string {
  const plain = meaning.replace(/`([A-Z_]+)`/g, '$1').replaceAll('`', '"')
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

function comment(text: string): string[] {
  return wrap(text, COMMENT_WIDTH).map((line) => `# ${line}`)
}
