import { headingSlug, type Rendered } from '../content/markdown.ts'
import { plainPage, type SitePage } from './site-pages.ts'

/** The API descriptions as pages to read, made from the documents themselves. */
export function apiDocs(
  descriptions: Record<string, object>,
  render: (markdown: string) => Rendered,
  modified: Date,
): SitePage[] {
  const pages = Object.entries(descriptions).map(([name, description]) => {
    const { info } = description as Description
    return page(`/docs/${name}`, info.title, info.description, inWords(description as Description))
  })
  const list = pages.map(({ path, title, description }) => `- [${title}](${path}): ${description}`)
  return [page('/docs', 'API', 'The two APIs of this site, described.', list.join('\n')), ...pages]

  function page(path: string, title: string, description: string, markdown: string): SitePage {
    return plainPage(path, title, description, { html: render(markdown).html, markdown }, modified)
  }
}

interface Schema {
  type?: string
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  const?: unknown
}

interface Operation {
  summary: string
  description?: string
  security?: unknown[]
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema }> }>
}

interface Description {
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, Operation>>
}

function inWords({ paths }: Description): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const contents = operations.map(({ method, path, operation }) => {
    const anchor = headingSlug(`${method} ${path}`)
    return `- [${method} ${path}](#${anchor}): ${operation.summary}`
  })
  const sections = operations.map(({ method, path, operation }) => describe(method, path, operation))
  return [contents.join('\n'), ...sections].join('\n\n')
}

function describe(method: string, path: string, operation: Operation): string {
  const { summary, description, security = [], parameters = [], requestBody, responses } = operation
  const body = requestBody && Object.values(requestBody.content)[0]?.schema
  const answers = Object.entries(responses).map(([status, answer]) => `| ${status} | ${cell(answer.description)} |`)
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const data = Object.values(success?.content ?? {})[0]?.schema?.properties?.data
  return [
    `## ${method} ${path}`,
    `${summary}.${description ? ` ${description}` : ''}${security.length > 0 ? ' *Signed-in callers only.*' : ''}`,
    parameters.length > 0 &&
      table(
        'Parameters',
        parameters.map(({ name, required, schema }) => row(name, schema, required)),
      ),
    body?.properties && table('Body', fields(body)),
    data?.properties && table('Data', fields(data)),
    `| Status | Meaning |\n|---|---|\n${answers.join('\n')}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function table(title: string, rows: string[]): string {
  return `| ${title} | Type | Notes |\n|---|---|---|\n${rows.join('\n')}`
}

function fields({ properties = {}, required = [] }: Schema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = schema.type === 'array' ? schema.items : schema
    const path = prefix + name + (schema.type === 'array' ? '[]' : '')
    const own = row(prefix + name, schema, required.includes(name))
    return inner?.properties ? [own, ...fields(inner, `${path}.`)] : [own]
  })
}

function row(name: string, schema: Schema, isRequired: boolean): string {
  const notes = [isRequired ? '' : 'optional', schema.description ?? ''].filter(Boolean).join('; ')
  return `| \`${name}\` | ${typeOf(schema)} | ${cell(notes)} |`
}

function typeOf({ type, format, anyOf, const: constant }: Schema): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``
  return format ? `${type} (${format})` : (type ?? 'any')
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\s+/g, ' ')
}
