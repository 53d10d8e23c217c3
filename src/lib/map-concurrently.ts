/** Like `map`, with at most `limit` calls at the same time. The results have the order of the items. */
export async function mapConcurrently<T, Result>(
  items: readonly T[],
  limit: number,
  map: (item: T) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const remaining = items.entries()
  const run = async () => {
    for (const [index, item] of remaining) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: limit }, run))
  return results
}
