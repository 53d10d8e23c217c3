import { timingSafeEqual } from 'node:crypto'

/** Whether two texts are the same, compared in a time that does not depend on where they differ. */
export function isSameText(one: string, other: string): boolean {
  const [bytes, otherBytes] = [Buffer.from(one), Buffer.from(other)]
  return bytes.length === otherBytes.length && timingSafeEqual(bytes, otherBytes)
}
