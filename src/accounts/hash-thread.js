// @ts-check
// The worker thread of `hash-threads.ts`. It posts one result for each message, in the order of the messages. The file
// is plain JavaScript, so that the thread starts without loading the type stripper.
import { argon2Sync, createCipheriv, pbkdf2Sync, scryptSync } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

/** @typedef {import('./stored-hash.ts').HashWork & { message: string }} Work */

// Twice the memory that `hash-limits.ts` allows. Node refuses more than 32 MiB by default.
const SCRYPT_MAX_BYTES = 256 * 1024 * 1024
const FIREBASE_KEY_BYTES = 32
const FIREBASE_DERIVED_BYTES = 64
const AES_BLOCK_BYTES = 16
const BCRYPT_RESULT_CHARACTERS = 31

let previous = Promise.resolve()
parentPort?.on('message', (work) => {
  previous = previous.then(async () => parentPort?.postMessage(await computeHash(work)))
})

/** @param {Work} work */
async function computeHash(work) {
  try {
    return work.scheme === 'bcrypt' ? await bcrypt(work) : compute(work)
  } catch (error) {
    return error
  }
}

/** @param {Exclude<Work, { scheme: 'bcrypt' }>} work */
function compute(work) {
  const { message } = work
  switch (work.scheme) {
    case 'argon2':
      return argon2Sync(work.algorithm, work)
    case 'scrypt': {
      const password = work.isNfkc ? message.normalize('NFKC') : message
      return scryptSync(password, work.salt, work.keyLength, { ...work.cost, maxmem: SCRYPT_MAX_BYTES })
    }
    case 'pbkdf2':
      return pbkdf2Sync(message, work.salt, work.iterations, work.keyLength, work.digest)
    case 'firebase': {
      // https://github.com/firebase/scrypt: the result is the signer key of the project, encrypted with the derived
      // key.
      const options = { ...work.cost, maxmem: SCRYPT_MAX_BYTES }
      const derived = scryptSync(message, work.salt, FIREBASE_DERIVED_BYTES, options)
      const key = derived.subarray(0, FIREBASE_KEY_BYTES)
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(AES_BLOCK_BYTES))
      return Buffer.concat([cipher.update(/** @type {Uint8Array} */ (work.signerKey)), cipher.final()])
    }
  }
}

/**
 * bcrypt uses the first 72 bytes of a password. A password with a NUL byte is never correct: implementations in C end a
 * password there, others repeat it, so that two different passwords have the same hash. The package is loaded by the
 * first hash of this scheme.
 * @param {Extract<Work, { scheme: 'bcrypt' }>} work
 */
async function bcrypt({ message, setting }) {
  const { hashSync } = await import('bcryptjs')
  const hash = hashSync(message, setting)
  return message.includes('\0') ? Buffer.alloc(1) : Buffer.from(hash.slice(-BCRYPT_RESULT_CHARACTERS))
}
