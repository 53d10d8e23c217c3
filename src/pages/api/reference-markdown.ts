import { asMarkdown } from '../../content/as-markdown.ts'
import { exampleOf } from './examples.ts'
import { type Field, fieldsOf, parametersOf } from './fields.ts'
import { type Api, type Call, codesOf, contentOf, dataOf, isSignedIn, type Operation } from './operations.ts'

/**
 * The reference of an API as markdown. Links within it begin with the URL of its page, as the text is also in
 * llms-full.txt.
 */
export function referenceMarkdown(api: Api, pageUrl: string): string {
  const { title, description, baseUrl, guide, groups, failure, errorGuide } = api
  const calls = groups.flatMap(({ calls }) => calls)
  const contents = calls.map((call) => [`[\`${nameOf(call)}\`](#${call.id})`, call.summary])
  const sections = [
    `# ${asMarkdown(title)}`,
    `> ${asMarkdown(description)}`,
    guide,
    '## Calls',
    table(['Call', 'What it does'], contents),
    ...groups.flatMap(({ name, description, calls }) => [
      `## ${name}`,
      `${description}.`,
      ...calls.flatMap((call) => sectionsOf(call, baseUrl)),
    ]),
    '## Errors',
    'All errors have the same fields.',
    fieldTable('Field', fieldsOf(failure)),
    errorGuide,
  ]
  return sections.filter(Boolean).join('\n\n').replaceAll('](#', `](${pageUrl}#`)
}

const nameOf = ({ method, path }: Call) => `${method} ${path}`

function sectionsOf(call: Call, baseUrl: string): string[] {
  const { curl, typescript, response } = exampleOf(call, baseUrl)
  const { summary, description } = call
  return [
    `### \`${nameOf(call)}\``,
    `${summary}.${description ? ` ${description}` : ''}${isSignedIn(call) ? ' *Signed in*' : ''}`,
    fieldTable('Parameter', parametersOf(call)),
    fieldTable('Body', fieldsOf(call.requestBody && contentOf(call.requestBody)?.schema)),
    fieldTable('Data', fieldsOf(dataOf(call))),
    table(['Status', 'Codes', 'Meaning'], statusesOf(call)),
    fence('sh', curl),
    fence('ts', typescript),
    `Response, ${response.status}:`,
    fence(response.language, response.code),
  ]
}

function statusesOf({ responses }: Operation): string[][] {
  return Object.entries(responses).map(([status, response]) => [
    status,
    codesOf(response)
      .map((code) => `\`${code}\``)
      .join(', '),
    response.description,
  ])
}

function fieldTable(title: string, fields: Field[]): string {
  const rows = fields.map(({ within, name, type, isRequired, rules, description }) => [
    `\`${within}${name}\``,
    `${type}${isRequired ? '' : ', optional'}`,
    rules.join('; '),
    description,
  ])
  return table([title, 'Type', 'Rules', 'What it is'], rows)
}

function table(titles: string[], rows: string[][]): string {
  if (rows.length === 0) return ''
  return [titles, titles.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\s+/g, ' ')
}

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``
