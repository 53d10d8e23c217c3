/**
 * The maximum cost of a stored hash. A log-in computes the hash of its account, so that an imported hash without a
 * limit could keep a hash thread busy for minutes, or use up the memory. A hash at one of these limits took from 0.3 to
 * 1.4 s where one with the current parameters took 34 ms. `docs/pages/reference/limits.md` has these values.
 */
export const HASH_LIMITS = {
  argon2: {
    parallelism: { min: 1, max: 16 },
    memoryKib: 128 * 1024,
    /** Memory times passes. */
    memoryKibPasses: 512 * 1024,
    /** OpenSSL refuses to compute with less. */
    minSaltBytes: 8,
  },
  bcryptCost: { min: 4, max: 13 },
  scrypt: {
    logN: { min: 1, max: 20 },
    /**
     * The parameter r. With a greater one, the blocks beside the N ones that `memoryKib` counts would use much memory.
     */
    blockSize: { min: 1, max: 1024 },
    memoryKib: 128 * 1024,
    /** N · r · p. */
    work: 2 ** 20,
  },
  /** Iterations times blocks of the result. */
  pbkdf2Iterations: { min: 1, max: 2_000_000 },
  saltBytes: { min: 1, max: 128 },
  // A shorter result would be guessed too easily.
  resultBytes: { min: 16, max: 128 },
} as const
