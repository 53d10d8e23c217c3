const EMPTY: never[] = []
Object.freeze(EMPTY)

/**
 * For lists that are kept for long and are mostly empty: all empty ones are the same object. Each object on the heap
 * takes time of the garbage collector. A list that this function returns must not be changed.
 */
export function sharedIfEmpty<T>(list: T[]): T[] {
  return list.length > 0 ? list : EMPTY
}
