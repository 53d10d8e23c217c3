// @ts-check
// One of the threads of `hash-threads.ts`: answers each message in its turn. In plain JavaScript, so that a thread need not
// load what strips types.
import { argon2Sync } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', (parameters) => parentPort?.postMessage(answerTo(parameters)))

/** @param {import('node:crypto').Argon2Parameters} parameters */
function answerTo(parameters) {
  try {
    return argon2Sync('argon2id', parameters)
  } catch (error) {
    return error
  }
}
