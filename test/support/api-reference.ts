import { get } from './api.ts'

/** A call as the markdown of a reference describes it. */
export interface ReferenceCall {
  /** Such as "POST /api/log-in". */
  name: string
  /** Its whole section. */
  text: string
  curl: string
  typescript: string
  /** The status of the example response. */
  status: number
}

/** The calls of a reference, from its markdown. */
export async function referenceCalls(service: { url: string }, path: string): Promise<ReferenceCall[]> {
  const { body } = await get(service, `${path}.md`)
  const sections: string[] = String(body).split(/^(?=#{2,3} )/m)
  return sections.flatMap((text) => {
    const [, name] = /^### `([A-Z]+ .+)`$/m.exec(text) ?? []
    const [, status] = /^Response, (\d+) /m.exec(text) ?? []
    return name
      ? [{ name, text, curl: codeIn(text, 'sh'), typescript: codeIn(text, 'ts'), status: Number(status) }]
      : []
  })
}

function codeIn(text: string, language: string): string {
  const [, code = ''] = new RegExp(`^\`\`\`${language}\n([^]*?)\n\`\`\`$`, 'm').exec(text) ?? []
  return code
}
