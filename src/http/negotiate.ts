import { parseQValues } from './q-values.ts'

export type Form = 'html' | 'markdown' | 'json'

const TYPES: Record<Form, string> = { html: 'text/html', markdown: 'text/markdown', json: 'application/json' }

/**
 * Which form of a page a client wants. Markdown and JSON must be asked for by name, with at least the weight that HTML
 * has; whatever leaves the choice to us gets HTML.
 */
export function negotiate<F extends Form>(accept: string | undefined, forms: readonly F[]): F | 'html' {
  const ranges = parseQValues(accept)
  const html = weightOf(ranges, 'text/html')
  const [best] = forms
    .filter((form) => form !== 'html')
    .map((form) => ({ form, weight: ranges.get(TYPES[form]) ?? 0 }))
    .filter(({ weight }) => weight > 0 && weight >= html)
    .sort((a, b) => b.weight - a.weight)
  return best?.form ?? 'html'
}

function weightOf(ranges: Map<string, number>, type: string): number {
  return ranges.get(type) ?? ranges.get(`${type.split('/')[0]}/*`) ?? ranges.get('*/*') ?? 0
}
