import { readFile } from 'node:fs/promises'
import { signerKeyId } from '../accounts/signer-keys.ts'
import type { FirebaseParameters } from './foreign-hash.ts'
import { FileFault } from './text-file.ts'

const MAX_CHARACTERS = 16 * 1024
const FIELDS = {
  signerKey: /base64_signer_key:\s*"?([A-Za-z0-9+/_=-]+)/,
  saltSeparator: /base64_salt_separator:\s*"?([A-Za-z0-9+/_=-]+)/,
  rounds: /rounds:\s*"?(\d{1,4})/,
  memCost: /mem_cost:\s*"?(\d{1,4})/,
}

/**
 * Reads the parameters of the password hashes of a Firebase project, in the format of its console. JSON
 * with the same names is read too.
 */
export async function readFirebaseParameters(path: string): Promise<FirebaseParameters> {
  const content = await readFile(path, 'utf8').catch((error) => {
    throw new FileFault(`The parameters of Firebase cannot be read: ${error.message}`)
  })
  const text = content.slice(0, MAX_CHARACTERS).replaceAll('":', ':')
  const value = (name: keyof typeof FIELDS) => {
    const [, found] = FIELDS[name].exec(text) ?? []
    if (!found) throw new FileFault(`${path} has no ${FIELDS[name].source.split(':')[0]}.`)
    return found
  }
  const signerKey = new Uint8Array(Buffer.from(value('signerKey'), 'base64'))
  return {
    signerKey,
    keyId: signerKeyId(signerKey),
    saltSeparator: new Uint8Array(Buffer.from(value('saltSeparator'), 'base64')),
    rounds: Number(value('rounds')),
    memCost: Number(value('memCost')),
  }
}
