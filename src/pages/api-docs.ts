import { headingSlug, type Rendered } from '../content/markdown.ts'
import { dereference } from '../http/openapi-references.ts'
import { html } from './html.ts'
import { plainPage, type SitePage } from './site-pages.ts'

/** Renders the OpenAPI documents as pages. */
export function apiDocs(descriptions: Record<string, object>, render: (markdown: string) => Rendered): SitePage[] {
  const pages = Object.entries(descriptions).map(([name, description]) => {
    const { info, ...others } = dereference(description as Description)
    const markdown = toMarkdown({ info, ...others })
    const about = { path: `/docs/${name}`, title: info.title, description: info.description }
    return plainPage(about, { html: withLineBreaks(render(markdown).html), markdown }, 'api')
  })
  const about = { path: '/docs', title: 'API', description: 'The two APIs of this site, described.' }
  const list = {
    html: html`<ul class="posts">${pages.map(({ path, title, description }) => html`<li><div><a href="${path}">${title}</a><p>${description}</p></div></li>`)}</ul>`,
    markdown: pages.map(({ path, title, description }) => `- [${title}](${path}): ${description}`).join('\n'),
  }
  return [plainPage(about, { ...list, html: list.html.text }), ...pages]
}

/** Allows a line break after each slash of a path but the first. */
function withLineBreaks(page: string): string {
  return page.replace(/<code>[A-Z]+ \/[^<]*<\/code>/g, (call) => call.replace(/(?<=[^ <])\//g, '/<wbr>'))
}

interface Schema {
  type?: string | string[]
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}

interface Response {
  description: string
  content?: Record<string, { schema?: Schema }>
  'x-error-codes'?: string[]
}

interface Operation {
  summary: string
  description?: string
  tags: string[]
  security?: unknown[]
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Response>
}

interface Description {
  /** Markdown that precedes the operations. */
  'x-guide'?: string
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

function toMarkdown({ tags, paths, components, 'x-guide': guide = '' }: Description): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    calls: calls.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const contents = groups.flatMap(({ calls }) =>
    calls.map(({ name, operation }) => [`[\`${name}\`](#${headingSlug(name)})`, operation.summary]),
  )
  const sections = groups.flatMap(({ name, description, calls }) => [
    `## ${name}`,
    `${description}.`,
    ...calls.map(describe),
  ])
  const failures = [components.schemas.Error ?? components.schemas.Failure].flatMap((schema) => [
    '## Errors',
    'All errors have the same fields.',
    table('Field', fields(schema)),
  ])
  return [guide, table('Call', contents), ...sections, ...failures].filter(Boolean).join('\n\n')
}

function describe({ name, operation }: { name: string; operation: Operation }): string {
  const { summary, description, security = [], parameters = [], requestBody, responses } = operation
  const body = requestBody && Object.values(requestBody.content)[0]?.schema
  const statuses = Object.entries(responses).map(([status, response]) => [status, meaningOf(response)])
  return [
    `### \`${name}\``,
    `${summary}.${description ? ` ${description}` : ''}${security.length > 0 ? ' *Signed in*' : ''}`,
    table(
      'Parameter',
      parameters.map(({ name, required, schema }) => row(name, schema, required)),
    ),
    table('Body', fields(body)),
    table('Data', fields(dataOf(operation))),
    table('Status', statuses),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function meaningOf({ description, 'x-error-codes': codes }: Response): string {
  return codes ? `${codes.map((code) => `\`${code}\``).join(', ')}: ${description}` : description
}

/** The schema of a successful response: the `data` of the envelope, or the whole body if there is no envelope. */
function dataOf({ responses }: Operation): Schema | undefined {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const schema = Object.values(success?.content ?? {})[0]?.schema
  return schema?.properties?.success ? schema.properties.data : schema
}

const SECOND_COLUMN: Record<string, string> = { Call: 'What it does', Status: 'Meaning' }

function table(title: string, rows: string[][]): string {
  if (rows.length === 0) return ''
  const lines = rows.map(([first = '', second = '']) => `| ${first} | ${cell(second)} |`)
  return `| ${title} | ${SECOND_COLUMN[title] ?? 'What it is'} |\n|---|---|\n${lines.join('\n')}`
}

function fields({ properties = {}, required = [] }: Schema = {}, prefix = ''): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = schema.type === 'array' ? schema.items : schema
    const path = prefix + name + (schema.type === 'array' ? '[]' : '')
    return [row(prefix + name, schema, required.includes(name)), ...fields(inner, `${path}.`)]
  })
}

function row(name: string, schema: Schema, isRequired: boolean): string[] {
  const type = `${typeOf(schema)}${isRequired ? '' : ', optional'}`
  return [`\`${name}\``, schema.description ? `${type}: ${schema.description}` : type]
}

function typeOf({ type, format, items }: Schema): string {
  if (items) return `list of ${typeOf(items)}s`
  const types = [type ?? 'any'].flat().join(' or ')
  return format ? `${types} (${format})` : types
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\s+/g, ' ')
}
