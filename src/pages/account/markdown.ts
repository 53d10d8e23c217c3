import { asMarkdown } from '../../content/as-markdown.ts'
import type { Operation } from '../../http/operation.ts'
import type { TObject } from '../../http/schema.ts'
import type { AccountPage } from './page.ts'

/** The markdown of an account page: its purpose, and the operations of the API with the same effect. */
export function describeInMarkdown(page: AccountPage, operations: Map<string, Operation>, baseUrl: string): string {
  const who = {
    anyone: 'Anyone may use it.',
    guests: 'It is for those who are not signed in.',
    members: 'It is for those who are signed in.',
  }
  return `# ${page.title}

${asMarkdown(page.description)} ${who[page.access]}

This page is for people, in a browser: ${baseUrl}${page.path}

Programs do the same with the account API (described at ${baseUrl}/docs/account-api.md and ${baseUrl}/api/openapi.json):

${describeCalls(page.calls, operations)}
`
}

/** A list of operations with the fields that each of them takes. */
export function describeCalls(calls: string[], operations: Map<string, Operation>): string {
  const lines = calls.map((call) => {
    const operation = operations.get(call)
    const fields = namesOf(operation?.body ?? operation?.query)
    return `- \`${call}\`: ${operation?.summary}.${fields && ` Takes ${fields}.`}`
  })
  return lines.join('\n')
}

function namesOf(schema: unknown): string {
  const { properties = {}, required = [] } = (schema ?? {}) as Partial<TObject>
  const names = Object.keys(properties).map((name) =>
    (required as string[]).includes(name) ? `\`${name}\`` : `\`${name}\` (optional)`,
  )
  return names.join(', ')
}
