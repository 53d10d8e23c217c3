import { createHmac } from 'node:crypto'
import { isSameText } from '../lib/same-text.ts'

// The parameters that all authenticator apps support: HMAC-SHA-1, six digits, steps of 30 seconds.
export const DIGITS = 6
export const STEP_SECONDS = 30
// RFC 4226, section 4, R6 recommends a secret of 160 bits.
export const SECRET_BYTES = 20
// RFC 6238, section 5.2: the code of one step before or after is accepted, for a clock that is wrong and for a person
// who types slowly.
const ACCEPTED_STEPS = [-1, 0, 1]

/** The time step of a time in milliseconds (RFC 6238, section 4.2, with T0 = 0). */
export function stepAt(timeMs: number): number {
  return Math.floor(timeMs / (STEP_SECONDS * 1000))
}

/** The code of a time step: HOTP with the step as its counter (RFC 4226, section 5.3; RFC 6238, section 4.2). */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The accepted step whose code this is, or undefined. Compares with every accepted step, in constant time. */
export function acceptedStep(secret: Uint8Array, code: string, timeMs: number): number | undefined {
  const current = stepAt(timeMs)
  const matching = ACCEPTED_STEPS.map((offset) => current + offset).filter((step) =>
    isSameText(codeAt(secret, step), code),
  )
  // Two steps can have the same code. The later one has not been used yet if either has not.
  return matching.at(-1)
}
