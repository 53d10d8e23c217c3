import { randomUUID } from 'node:crypto'

const BEGINNINGS = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'))
let rest = ''
let next = BEGINNINGS.length

/**
 * A UUID that no other request has, and that is no secret: 256 in a row differ in their first two digits only. To draw
 * one for each was a twentieth of the work of sending a page.
 */
export function newRequestId(): string {
  if (next === BEGINNINGS.length) {
    rest = randomUUID().slice(2)
    next = 0
  }
  return BEGINNINGS[next++] + rest
}
