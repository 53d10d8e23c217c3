import type { AccountParts } from '../accounts/parts.ts'
import { operation } from '../http/operation.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import { MAX_CONSECUTIVE_WRONG_CODES } from '../proofs/authenticator-app.ts'
import { readFactors } from '../proofs/second-factor.ts'
import { SecondFactor } from './fields.ts'

export function readSecondFactor(parts: AccountParts) {
  return operation({
    id: 'readSecondFactor',
    summary: 'Read whether two-step sign-in is on, and the second factors of the account',
    message: 'Second factor retrieved successfully',
    data: SecondFactor,
    async handle({ caller: { user } }) {
      const { app, passkeys, recoveryCodesLeft } = await readFactors(parts.database.query, parts, user.id)
      return {
        data: {
          isRequired: user.second_factor_required === 1,
          authenticatorApp: app
            ? {
                addedAt: isoTime(app.confirmed_at),
                lastUsedAt: isoTimeOrNull(app.last_used_at),
                isBlocked: app.wrong_codes >= MAX_CONSECUTIVE_WRONG_CODES,
              }
            : null,
          passkeys,
          recoveryCodesLeft,
        },
      }
    },
  })
}
