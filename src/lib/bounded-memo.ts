// Both together bound the memory of a memo: at most 200 keys of 200 characters, with their results.
const MAX_ENTRIES = 200
const MAX_KEY_CHARACTERS = 200

/**
 * Memoizes a function of a header value. Clients send the same few values again and again. An absent header counts as
 * the empty string.
 */
export function boundedMemo<T>(compute: (header: string) => T): (header: string | undefined) => T {
  const results = new Map<string, T>()
  return (header = '') => {
    const memoized = results.get(header)
    if (memoized !== undefined) return memoized
    const result = compute(header)
    if (header.length > MAX_KEY_CHARACTERS) return result
    // A full memo is cleared, so that a client that sends new values all the time cannot fill it for good.
    if (results.size >= MAX_ENTRIES) results.clear()
    results.set(header, result)
    return result
  }
}
