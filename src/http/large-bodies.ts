import { Refusal, unavailable } from './refusal.ts'

const BYTES_PER_MIB = 1024 * 1024

interface LargeBodyLimits {
  /** For all bodies that are received at the same time. */
  maxBytes: number
  /** For those of one client address. */
  maxBytesOfAddress: number
  /** For those of one account. */
  maxBytesOfUser: number
}

// A body has up to 5 MiB (`multipart.ts`), and 30 seconds to arrive.
const LARGE_BODY_LIMITS: LargeBodyLimits = {
  maxBytes: 160 * BYTES_PER_MIB,
  maxBytesOfAddress: 80 * BYTES_PER_MIB,
  maxBytesOfUser: 20 * BYTES_PER_MIB,
}

interface LargeBody {
  /** As its Content-Length says, or the largest that is accepted. */
  bytes: number
  address: string
  /** Undefined for a request without a caller: only the address and all bodies together limit its body. */
  userId: string | undefined
}

/**
 * Returns a function that reserves memory for a body while it is received, because it is buffered. Beyond a limit, it
 * refuses the body with 503.
 */
export function createLargeBodies({ maxBytes, maxBytesOfAddress, maxBytesOfUser } = LARGE_BODY_LIMITS) {
  const reserved = new Map<string, number>()

  return async function reserve<T>({ bytes, address, userId }: LargeBody, read: () => Promise<T>): Promise<T> {
    const quotas: [name: string, limit: number][] = [
      ['all', maxBytes],
      [`address ${address}`, maxBytesOfAddress],
    ]
    if (userId !== undefined) quotas.push([`user ${userId}`, maxBytesOfUser])
    if (quotas.some(([name, limit]) => (reserved.get(name) ?? 0) + bytes > limit))
      throw new Refusal(unavailable, { headers: { 'retry-after': '5', connection: 'close' } })
    for (const [name] of quotas) add(name, bytes)
    try {
      return await read()
    } finally {
      for (const [name] of quotas) add(name, -bytes)
    }
  }

  function add(name: string, bytes: number): void {
    const sum = (reserved.get(name) ?? 0) + bytes
    if (sum === 0) reserved.delete(name)
    else reserved.set(name, sum)
  }
}
