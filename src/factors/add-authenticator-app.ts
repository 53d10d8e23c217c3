import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { base32 } from '../lib/base32.ts'
import { qrCode } from '../lib/qr-code.ts'
import { lockProvenCaller, reauthenticationRequired } from '../proofs/recent-proof.ts'
import { DIGITS, STEP_SECONDS } from '../proofs/totp.ts'
import type { FactorParts } from './parts.ts'

const SAMPLE_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

const hasApp = declareRefusal({
  status: 409,
  code: 'authenticator_app_exists',
  message: 'This account has an authenticator app: remove it first',
  when: 'The account has an authenticator app',
})

export function addAuthenticatorApp(parts: FactorParts) {
  const { database, authenticatorApps, siteIdentity } = parts
  return operation({
    id: 'addAuthenticatorApp',
    summary: 'Begin to add an authenticator app',
    message: 'Scan the QR code with the app, then confirm with a code',
    description:
      'The response has a new secret for the app, as text, as a URI and as a QR code. The app is used from the moment a ' +
      'code of it was confirmed, within an hour. Another call replaces a secret that was not confirmed. Needs a recent ' +
      'proof of identity.',
    data: Type.Object(
      {
        secret: Type.String({ description: 'Base 32, to type into the app', examples: [SAMPLE_SECRET] }),
        uri: Type.String({
          description: 'What the QR code contains',
          examples: [`otpauth://totp/Portico:ada%40example.com?secret=${SAMPLE_SECRET}&issuer=Portico`],
        }),
        qrCode: Type.String({
          description: 'An SVG image',
          examples: ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 53 53"></svg>'],
        }),
      },
      { title: 'PendingAuthenticatorApp' },
    ),
    refusals: [hasApp, reauthenticationRequired],
    async handle({ caller }) {
      const { secret, user } = await database.transaction(async (tx) => {
        const user = await lockProvenCaller(tx, parts, caller)
        const secret = await authenticatorApps.begin(tx, user.id)
        if (!secret) throw new Refusal(hasApp)
        return { secret: base32(secret), user }
      })
      return { data: describeSecret(siteIdentity.title(), user.email, secret) }
    },
  })
}

/**
 * A secret as text, as a key URI (https://github.com/google/google-authenticator/wiki/Key-Uri-Format) and as a QR code.
 */
export function describeSecret(siteTitle: string, email: string, secret: string) {
  // A colon separates the issuer from the account in the label.
  const issuer = siteTitle.replaceAll(':', ' ')
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  const uri =
    `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}` +
    `&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`
  return { secret, uri, qrCode: qrCode(uri, 'QR code for your authenticator app') }
}
