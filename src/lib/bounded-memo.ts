// Both together bound the memory of a memo: at most 200 keys of 200 characters, with their results.
const MAX_ENTRIES = 200
const MAX_KEY_CHARACTERS = 200

/**
 * Memoizes a function of a short text of which the same few values come again and again, such as a header. An absent
 * header counts as the empty string.
 */
export function boundedMemo<T>(compute: (text: string) => T): (text: string | undefined) => T {
  const results = new Map<string, T>()
  return (text = '') => {
    const memoized = results.get(text)
    if (memoized !== undefined) return memoized
    const result = compute(text)
    if (text.length > MAX_KEY_CHARACTERS) return result
    // A full memo is cleared, so that a client that sends new values all the time cannot fill it for good.
    if (results.size >= MAX_ENTRIES) results.clear()
    results.set(text, result)
    return result
  }
}
