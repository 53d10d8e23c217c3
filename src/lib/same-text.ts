import { timingSafeEqual } from 'node:crypto'

/** Whether two texts are equal, compared in constant time for texts of the same length. */
export function isSameText(one: string, other: string): boolean {
  const [bytes, otherBytes] = [Buffer.from(one), Buffer.from(other)]
  return bytes.length === otherBytes.length && timingSafeEqual(bytes, otherBytes)
}
