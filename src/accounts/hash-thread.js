// @ts-check
// The worker thread of `hash-threads.ts`. It posts one result for each message, in the order of the messages. The file
// is plain JavaScript, so that the thread starts without loading the type stripper.
import { argon2Sync } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', (parameters) => parentPort?.postMessage(computeHash(parameters)))

/** @param {import('node:crypto').Argon2Parameters} parameters */
function computeHash(parameters) {
  try {
    return argon2Sync('argon2id', parameters)
  } catch (error) {
    return error
  }
}
