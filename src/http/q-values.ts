// Browsers send fewer than ten. Entries beyond this number are ignored.
const MAX_ENTRIES = 100

/**
 * The entries of a header such as Accept, in lower case, with their q-values (RFC 9110, section 12.4.2). An entry that
 * occurs twice has the higher q-value.
 */
export function parseQValues(header = ''): Map<string, number> {
  const qValues = new Map<string, number>()
  for (const entry of header.toLowerCase().split(',', MAX_ENTRIES)) {
    // One regular expression for splitting and trimming would take minutes for a header full of spaces.
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const q = parameters.map((parameter) => parameter.split('=')).find(([key]) => key?.trim() === 'q')
    qValues.set(name, Math.max(qValues.get(name) ?? 0, q ? validOrZero(Number(q[1])) : 1))
  }
  return qValues
}

/** An invalid q-value counts as 0. */
function validOrZero(q: number): number {
  return q >= 0 && q <= 1 ? q : 0
}
