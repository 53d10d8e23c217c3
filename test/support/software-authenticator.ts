import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Algorithm = 'ES256' | 'Ed25519' | 'RS256'

// Flags of the authenticator data (WebAuthn Level 3, section 6.1).
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const BACKED_UP = 0x10
const HAS_CREDENTIAL = 0x40

/** What a test changes of a correct response. */
export interface Tampering {
  origin?: string
  rpId?: string
  type?: string
  crossOrigin?: boolean
  isPresent?: boolean
  isVerified?: boolean
  isSynced?: boolean
  signCount?: number
  /** Null leaves it out. */
  userHandle?: string | null
  /** The response states another credential id than that of this credential. */
  id?: string
  /** The attestation statement, in CBOR, with its format. */
  attestation?: { format: string; statement: Buffer }
}

interface CreationOptions {
  challenge: string
  rp: { id: string }
  user: { id: string }
}

interface RequestOptions {
  challenge: string
  rpId: string
}

/**
 * One passkey, made and used by node:crypto instead of an authenticator, so that a test can change any part of a
 * response. `origin` is that of the page that the browser would show.
 */
export class SoftwareAuthenticator {
  readonly id: string
  readonly #origin: string
  readonly #privateKey: KeyObject
  readonly #publicKey: Buffer
  readonly #algorithm: Algorithm
  #userHandle = randomBytes(32).toString('base64url')
  #signCount = 0

  constructor(origin: string, { algorithm = 'ES256', id }: { algorithm?: Algorithm; id?: string } = {}) {
    const { privateKey, publicKey } = keyPair(algorithm)
    this.id = id ?? randomBytes(32).toString('base64url')
    this.#origin = origin
    this.#privateKey = privateKey
    this.#publicKey = coseKey(publicKey, algorithm)
    this.#algorithm = algorithm
  }

  /** The JSON of the credential that `navigator.credentials.create` returns. */
  create({ challenge, rp, user }: CreationOptions, tampering: Tampering = {}) {
    this.#userHandle = user.id
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const aaguid = Buffer.alloc(16)
    const head = this.#authenticatorData(rp.id, HAS_CREDENTIAL, tampering)
    const authData = Buffer.concat([head, aaguid, length, id, this.#publicKey])
    const { format = 'none', statement = Buffer.of(0xa0) } = tampering.attestation ?? {}
    const attestationObject = Buffer.concat([
      ...[Buffer.of(0xa3), cborText('fmt'), cborText(format), cborText('attStmt'), statement],
      ...[cborText('authData'), cborBytes(authData)],
    ])
    return this.#credential(tampering, {
      clientDataJSON: this.#clientData('webauthn.create', challenge, tampering).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'hybrid'],
    })
  }

  /** The JSON of the credential that `navigator.credentials.get` returns. Each call counts up. */
  get({ challenge, rpId }: RequestOptions, tampering: Tampering = {}) {
    this.#signCount++
    const { userHandle = this.#userHandle } = tampering
    const authenticatorData = this.#authenticatorData(rpId, 0, tampering)
    const clientData = this.#clientData('webauthn.get', challenge, tampering)
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()])
    const hash = this.#algorithm === 'Ed25519' ? null : 'sha256'
    return this.#credential(tampering, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign(hash, signed, this.#privateKey).toString('base64url'),
      ...(userHandle !== null && { userHandle }),
    })
  }

  #credential<Response>({ id = this.id }: Tampering, response: Response) {
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {}, response }
  }

  #clientData(
    expectedType: string,
    challenge: string,
    { type = expectedType, origin, crossOrigin = false }: Tampering,
  ) {
    return Buffer.from(JSON.stringify({ type, challenge, origin: origin ?? this.#origin, crossOrigin }))
  }

  #authenticatorData(expectedRpId: string, extraFlags: number, tampering: Tampering): Buffer {
    const { rpId = expectedRpId, isPresent = true, isVerified = true, isSynced = false } = tampering
    const flags =
      extraFlags |
      (isPresent ? USER_PRESENT : 0) |
      (isVerified ? USER_VERIFIED : 0) |
      (isSynced ? BACKUP_ELIGIBLE | BACKED_UP : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(tampering.signCount ?? this.#signCount)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.of(flags), counter])
  }
}

function keyPair(algorithm: Algorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (algorithm === 'Ed25519') return generateKeyPairSync('ed25519')
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 })
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** The public key as a COSE_Key (RFC 9053, section 7; RFC 8230, section 4). Small integers are one byte of CBOR. */
function coseKey(publicKey: KeyObject, algorithm: Algorithm): Buffer {
  const jwk = publicKey.export({ format: 'jwk' })
  const part = (value: string | undefined) => cborBytes(Buffer.from(value ?? '', 'base64url'))
  if (algorithm === 'Ed25519')
    return Buffer.concat([Buffer.of(0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21), part(jwk.x)])
  if (algorithm === 'RS256') {
    const head = Buffer.of(0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20)
    return Buffer.concat([head, part(jwk.n), Buffer.of(0x21), part(jwk.e)])
  }
  const head = Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21)
  return Buffer.concat([head, part(jwk.x), Buffer.of(0x22), part(jwk.y)])
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(0x60, text.length), Buffer.from(text)])
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(0x40, bytes.length), bytes])
}

/** The head of a data item (RFC 8949, section 3): the major type, and the length in the shortest form. */
function cborHead(majorType: number, length: number): Buffer {
  if (length < 24) return Buffer.of(majorType | length)
  if (length < 256) return Buffer.of(majorType | 24, length)
  return Buffer.of(majorType | 25, length >> 8, length & 0xff)
}
