// Browsers send fewer than ten. What a header lists beyond this number is not read.
const MAX_ENTRIES = 100

/** What a header such as Accept lists, in lower case, each with its weight. What is listed twice has the higher one. */
export function parseQValues(header = ''): Map<string, number> {
  const weights = new Map<string, number>()
  for (const entry of header.toLowerCase().split(',', MAX_ENTRIES)) {
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
