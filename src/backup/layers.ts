import type { FileHandle } from 'node:fs/promises'
import { pipeline, type Transform } from 'node:stream'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { BackupError } from './backup-error.ts'

// https://age-encryption.org/v1: the first line of an encrypted file.
const AGE_MAGIC = Buffer.from('age-encryption.org/v1\n')
// RFC 8878, section 3.1.1: the magic number of a Zstandard frame, little-endian.
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const PLAIN_START = Buffer.from('{')
// A header for a passphrase has about 150 bytes.
const MAX_AGE_HEADER_BYTES = 1024
const CHUNK_BYTES = 512 * 1024

export interface Layers {
  isEncrypted: boolean
  isCompressed: boolean
}

type Chunks = AsyncIterable<Uint8Array>

/** Compresses with Zstandard. The frame has a checksum of its own. */
export function compress(): Transform {
  return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
}

/** Encrypts with age, for a passphrase (scrypt). */
export function encryptWith(passphrase: string) {
  return async function* encrypt(chunks: Chunks): AsyncGenerator<Uint8Array> {
    const { Encrypter } = await import('age-encryption')
    const encrypter = new Encrypter()
    encrypter.setPassphrase(passphrase)
    yield* await encrypter.encrypt(ReadableStream.from(chunks))
  }
}

/** Finds out by the first bytes whether a file is encrypted or compressed. Encrypted files were compressed before. */
export async function layersOf(file: FileHandle): Promise<Layers> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(AGE_MAGIC.length), 0, AGE_MAGIC.length, 0)
  const begins = (magic: Buffer) => buffer.subarray(0, Math.min(magic.length, bytesRead)).equals(magic)
  if (begins(AGE_MAGIC)) return { isEncrypted: true, isCompressed: true }
  if (begins(ZSTD_MAGIC)) return { isEncrypted: false, isCompressed: true }
  if (begins(PLAIN_START)) return { isEncrypted: false, isCompressed: false }
  throw new BackupError('The file is not a backup of Portico.')
}

/** Derives the key of an encrypted file from its passphrase, which takes a second by design. */
export async function unlock(file: FileHandle, passphrase: string): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_AGE_HEADER_BYTES), 0, MAX_AGE_HEADER_BYTES, 0)
  const header = buffer.subarray(0, bytesRead)
  // The last line of the header is `---` and a MAC.
  const end = header.indexOf('\n', Math.max(header.indexOf('\n--- '), 0) + 1) + 1
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  return decrypter.decryptHeader(header.subarray(0, end)).catch((error) => {
    const isWrong = /no identity matched/.test(String(error))
    throw new BackupError(isWrong ? 'The passphrase is wrong.' : `The backup is damaged: ${error.message}`)
  })
}

/**
 * The lines in a file, decrypted with the key of `unlock` and decompressed. `onRead` is called with the number of bytes
 * that were read so far. The file stays open.
 */
export function contentOf(
  file: FileHandle,
  { isEncrypted, isCompressed }: Layers,
  key: Uint8Array | undefined,
  onRead: (bytes: number) => void,
): AsyncIterable<Buffer> {
  async function* read() {
    for (let position = 0; ; onRead(position)) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
  const source = isEncrypted ? decrypt(read(), key) : read()
  if (!isCompressed) return source as AsyncIterable<Buffer>
  // @types/node lacks `rejectGarbageAfterEnd`.
  const options = { chunkSize: CHUNK_BYTES, rejectGarbageAfterEnd: true }
  // An error of the source destroys the last stream, and its reader gets the error.
  return pipeline(source, createZstdDecompress(options), () => {})
}

async function* decrypt(chunks: Chunks, key: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addIdentity({ unwrapFileKey: () => key ?? null })
  yield* await decrypter.decrypt(ReadableStream.from(chunks))
}
