/** Some of the posts of a year, or other items that belong together. */
export interface ItemGroup<T> {
  /** Such as 2024, and 2024-2 for the rest of a year that is too large for one group. */
  name: string
  items: T[]
}

/** Divides posts, newest first, by the year of their dates (UTC), and years that are larger than `max` once more. */
export function groupByYear<T extends { date: Date }>(
  posts: T[],
  sizeOf: (post: T) => number,
  max: number,
): ItemGroup<T>[] {
  const years = Map.groupBy(posts, ({ date }) => date.getUTCFullYear())
  return [...years].flatMap(([year, ofYear]) => splitBySize(String(year), ofYear, sizeOf, max))
}

/** Divides items into groups of `max` at most. A group has one item at least. */
export function splitBySize<T>(name: string, items: T[], sizeOf: (item: T) => number, max: number): ItemGroup<T>[] {
  const groups: ItemGroup<T>[] = []
  let size = 0
  for (const item of items) {
    size += sizeOf(item)
    const last = groups.at(-1)
    if (last && size <= max) {
      last.items.push(item)
      continue
    }
    size = sizeOf(item)
    groups.push({ name: groups.length === 0 ? name : `${name}-${groups.length + 1}`, items: [item] })
  }
  return groups
}
