import { parseQValues } from './q-values.ts'

export type Variant = 'html' | 'markdown' | 'json'

const MEDIA_TYPES: Record<Variant, string> = { html: 'text/html', markdown: 'text/markdown', json: 'application/json' }

/**
 * The variant of a page that the Accept header prefers (content negotiation, RFC 9110, section 12.5.1). Markdown and
 * JSON are chosen only if the header names their media type with a q-value of at least that of HTML. Markdown is also
 * chosen for a header that prefers plain text to HTML. HTML is the default.
 */
export function negotiate<F extends Variant>(accept: string | undefined, variants: readonly F[]): F | 'html' {
  const ranges = parseQValues(accept)
  const htmlQ = qValueOf(ranges, 'text/html')
  const [best] = variants
    .filter((variant) => variant !== 'html')
    .map((variant) => ({ variant, q: ranges.get(MEDIA_TYPES[variant]) ?? 0 }))
    .filter(({ q }) => q > 0 && q >= htmlQ)
    .sort((a, b) => b.q - a.q)
  if (best) return best.variant
  const plain = (ranges.get('text/plain') ?? 0) > htmlQ ? variants.find((variant) => variant === 'markdown') : undefined
  return plain ?? 'html'
}

function qValueOf(ranges: Map<string, number>, type: string): number {
  return ranges.get(type) ?? ranges.get(`${type.split('/')[0]}/*`) ?? ranges.get('*/*') ?? 0
}
