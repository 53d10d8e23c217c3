/** Some of the posts of a year, or other items that belong together. */
export interface Part<T> {
  /** Such as 2024, and 2024-2 for the rest of a year that is too large for one part. */
  name: string
  items: T[]
}

/** Divides posts, newest first, by the year of their dates (UTC), and years that are larger than `max` once more. */
export function partsByYear<T extends { date: Date }>(posts: T[], sizeOf: (post: T) => number, max: number): Part<T>[] {
  const years = Map.groupBy(posts, ({ date }) => date.getUTCFullYear())
  return [...years].flatMap(([year, ofYear]) => partsOf(String(year), ofYear, sizeOf, max))
}

/** Divides items into parts of `max` at most. A part has one item at least. */
export function partsOf<T>(name: string, items: T[], sizeOf: (item: T) => number, max: number): Part<T>[] {
  const parts: Part<T>[] = []
  let size = 0
  for (const item of items) {
    size += sizeOf(item)
    const last = parts.at(-1)
    if (last && size <= max) {
      last.items.push(item)
      continue
    }
    size = sizeOf(item)
    parts.push({ name: parts.length === 0 ? name : `${name}-${parts.length + 1}`, items: [item] })
  }
  return parts
}
