import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { hashesStarted, hashPassword, isOutdated, verifyPassword } from '../../src/accounts/password-hash.ts'
import { signerKeyId } from '../../src/accounts/signer-keys.ts'
import { parseStoredHash, UnusableHash } from '../../src/accounts/stored-hash.ts'

const fromHex = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replaceAll('=', '')
const fromText = (text: string) => Buffer.from(text).toString('base64').replaceAll('=', '')

// Published test vectors: of the reference implementation of Argon2 (test.c), RFC 7914 (sections 11 and 12), RFC 6070,
// and crypt_blowfish (wrapper.c).
const VECTORS: [name: string, password: string, hash: string][] = [
  ['argon2id', 'password', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
  ['argon2i', 'password', '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8'],
  [
    'scrypt',
    'password',
    `$scrypt$ln=10,r=8,p=16$${fromText('NaCl')}$${fromHex('fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640')}`,
  ],
  [
    'PBKDF2 with SHA-1',
    'password',
    `$pbkdf2-sha1$i=4096$${fromText('salt')}$${fromHex('4b007901b765489abead49d926f721d065a429c1')}`,
  ],
  [
    'PBKDF2 with SHA-256',
    'passwd',
    `$pbkdf2-sha256$i=1$${fromText('salt')}$${fromHex('55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783')}`,
  ],
  ['bcrypt', 'U*U', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  [
    'bcrypt of more than 72 bytes',
    '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored',
    '$2b$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
  ],
]

// The sample of https://github.com/firebase/scrypt.
const SIGNER_KEY = Buffer.from(
  'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  'base64',
)
const FIREBASE_SALT = Buffer.concat([Buffer.from('42xEC+ixf3L2lw==', 'base64'), Buffer.from('Bw==', 'base64')])
const FIREBASE_HASH =
  `$firebase-scrypt$ln=14,r=8,k=${signerKeyId(SIGNER_KEY)}$${FIREBASE_SALT.toString('base64').replaceAll('=', '')}$` +
  'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ'
const findSignerKey = async (id: string) => (id === signerKeyId(SIGNER_KEY) ? SIGNER_KEY : undefined)

describe('a stored password hash', () => {
  for (const [name, password, hash] of VECTORS) {
    it(`of ${name} verifies its password and no other`, async () => {
      assert.equal(await verifyPassword(password, hash), true)
      assert.equal(await verifyPassword(`x${password}`, hash), false)
      assert.ok(isOutdated(hash))
    })
  }

  it('of Firebase verifies its password with the key of its project', async () => {
    assert.equal(await verifyPassword('user1password', FIREBASE_HASH, undefined, findSignerKey), true)
    assert.equal(await verifyPassword('user2password', FIREBASE_HASH, undefined, findSignerKey), false)
    assert.equal(await verifyPassword('user1password', FIREBASE_HASH), false)
  })

  it('of a password in NFKC verifies the same password in NFC', async () => {
    const key = scryptSync('fi', 'a salt', 32, { N: 16, r: 1, p: 1 })
    const hash = `$scrypt-nfkc$ln=4,r=1,p=1$${fromText('a salt')}$${fromHex(key.toString('hex'))}`
    const LIGATURE = '\ufb01'
    assert.equal(await verifyPassword(LIGATURE, hash), true)
    assert.equal(await verifyPassword(LIGATURE, hash.replace('-nfkc', '')), false)
  })

  it('of bcrypt verifies no password with a NUL, which other implementations repeat or cut off', async () => {
    const { hashSync } = await import('bcryptjs')
    const hash = hashSync('ab', 4)
    assert.equal(hashSync('ab\0ab', hash), hash)
    assert.equal(await verifyPassword('ab', hash), true)
    for (const password of ['ab\0ab', 'ab\0', 'ab\0x']) assert.equal(await verifyPassword(password, hash), false)
  })

  it('with the current parameters is not outdated', async () => {
    const hash = await hashPassword('a password')
    assert.equal(isOutdated(hash), false)
    assert.ok(isOutdated(hash.replace('t=2', 't=1')))
  })

  it('that would cost too much is not computed: a log-in computes the usual hash instead, and fails', async () => {
    const [salt, result] = [fromText('a long enough salt'), fromHex('00'.repeat(32))]
    const costly: [hash: string, reason: RegExp][] = [
      [`$argon2id$v=19$m=2097152,t=1,p=4$${salt}$${result}`, /memory of Argon2 is 2097152, and the most is 131072 KiB/],
      [`$argon2id$v=19$m=19456,t=999999999,p=1$${salt}$${result}`, /memory times passes/],
      [`$argon2id$v=19$m=131072,t=1,p=17$${salt}$${result}`, /parallelism/],
      [`$argon2id$v=19$m=8,t=1,p=2$${salt}$${result}`, /the least is 16 KiB/],
      [`$scrypt$ln=21,r=8,p=1$${salt}$${result}`, /cost ln of scrypt/],
      [`$scrypt$ln=18,r=8,p=1$${salt}$${result}`, /memory of scrypt/],
      [`$scrypt$ln=14,r=8,p=999999999$${salt}$${result}`, /N times r times p/],
      [`$pbkdf2-sha256$i=2000001$${salt}$${result}`, /iterations of PBKDF2/],
      [`$pbkdf2-sha1$i=1500000$${salt}$${result}`, /iterations of PBKDF2 is 3000000/],
      [`$2b$14$${'.'.repeat(53)}`, /cost of bcrypt is 14, and the most is 13/],
      [`$2b$31$${'.'.repeat(53)}`, /cost of bcrypt/],
      [`$pbkdf2-sha256$i=1000$${salt}$${fromHex('00'.repeat(15))}`, /result of the password hash is 15/],
      [`$pbkdf2-sha256$i=1000$${fromHex('00'.repeat(129))}$${result}`, /salt of the password hash/],
      ['', /unknown format/],
      ['plain text', /unknown format/],
      [`$argon2id$v=16$m=256,t=2,p=1$${salt}$${result}`, /unknown format/],
      [`$2x$10$${'.'.repeat(53)}`, /unknown format/],
    ]
    for (const [hash, reason] of costly) {
      assert.throws(
        () => parseStoredHash(hash),
        (error) => error instanceof UnusableHash && reason.test(error.message),
        hash,
      )
    }
    const started = hashesStarted()
    for (const [hash] of costly) assert.equal(await verifyPassword('a password', hash), false)
    assert.equal(hashesStarted() - started, costly.length)
  })
})
