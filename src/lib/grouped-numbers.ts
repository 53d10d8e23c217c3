// A block has 2^14 numbers (64 KiB).
const BLOCK_BITS = 14
const BLOCK_MASK = (1 << BLOCK_BITS) - 1

/** A list of numbers of four bytes each, in blocks, so that it grows without a copy. */
export class GrowingArray {
  readonly #blocks: Uint32Array[] = []
  length = 0

  push(value: number): void {
    const block = this.#blocks[this.length >>> BLOCK_BITS] ?? this.#grow()
    block[this.length++ & BLOCK_MASK] = value
  }

  at(index: number): number {
    return this.#blocks[index >>> BLOCK_BITS]?.[index & BLOCK_MASK] ?? 0
  }

  toArray(): Uint32Array<ArrayBuffer> {
    const whole = new Uint32Array(this.length)
    for (const [number, block] of this.#blocks.entries()) {
      const start = number << BLOCK_BITS
      whole.set(block.subarray(0, this.length - start), start)
    }
    return whole
  }

  #grow(): Uint32Array {
    const block = new Uint32Array(1 << BLOCK_BITS)
    this.#blocks.push(block)
    return block
  }
}

/** Lists of numbers in two typed arrays. A map of lists would take ten times as much memory. */
export interface GroupedNumbers {
  /** The values of group `n` begin at `starts[n]` and end before `starts[n + 1]`. */
  starts: Uint32Array<ArrayBuffer>
  values: Uint32Array<ArrayBuffer>
}

/** Groups the values by the group number at the same index, with a counting sort, which is linear. */
export function groupNumbers(groups: GrowingArray, values: GrowingArray, groupCount: number): GroupedNumbers {
  const starts = new Uint32Array(groupCount + 1)
  const next = new Uint32Array(groupCount + 1)
  const sorted = new Uint32Array(values.length)
  for (let index = 0; index < values.length; index++) count(starts, groups.at(index) + 1)
  for (let group = 0; group < groupCount; group++) starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0)
  for (let index = 0; index < values.length; index++) {
    const group = groups.at(index)
    sorted[(starts[group] ?? 0) + count(next, group)] = values.at(index)
  }
  return { starts, values: sorted }
}

/** Adds one, and returns the number before. */
function count(counts: Uint32Array, index: number): number {
  const before = counts[index] ?? 0
  counts[index] = before + 1
  return before
}
