type Weights = ReadonlyMap<string, number>

// Browsers and programs send a handful of headers, over and over.
const known = new Map<string, Weights>()
const MOST_KNOWN = 200
const LONGEST_KNOWN = 200

/** What a header such as Accept lists, in lower case, each with its weight. What is listed twice has the higher one. */
export function weightsIn(header = ''): Weights {
  const before = known.get(header)
  if (before) return before
  const weights = parse(header)
  // Who sends ever new ones must not keep out what others send: then all are learnt anew.
  if (known.size >= MOST_KNOWN) known.clear()
  if (header.length <= LONGEST_KNOWN) known.set(header, weights)
  return weights
}

function parse(header: string): Weights {
  const weights = new Map<string, number>()
  for (const entry of header.toLowerCase().split(',')) {
    // Split first and trim then: a pattern for both takes minutes over a header full of spaces.
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const q = parameters.map((parameter) => parameter.split('=')).find(([key]) => key?.trim() === 'q')
    weights.set(name, Math.max(weights.get(name) ?? 0, q ? clamp(Number(q[1])) : 1))
  }
  return weights
}

function clamp(weight: number): number {
  return weight >= 0 && weight <= 1 ? weight : 0
}
