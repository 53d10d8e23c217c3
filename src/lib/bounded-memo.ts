// Together they bound the memory: 200 headers of 200 characters, and what was made of each.
const MAX_ENTRIES = 200
const MAX_KEY_CHARACTERS = 200

/** What was made of a header is kept: browsers and programs send the same few, over and over. */
export function boundedMemo<T>(make: (header: string) => T): (header: string | undefined) => T {
  const known = new Map<string, T>()
  return (header = '') => {
    const before = known.get(header)
    if (before !== undefined) return before
    const made = make(header)
    if (header.length > MAX_KEY_CHARACTERS) return made
    // Who sends ever new ones must not keep out what others send: then all are learnt anew.
    if (known.size >= MAX_ENTRIES) known.clear()
    known.set(header, made)
    return made
  }
}
