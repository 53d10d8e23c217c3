import { Time } from '../http/fields.ts'
import { nullable, Type } from '../http/schema.ts'

export const RecoveryCodeList = Type.Array(Type.String({ examples: ['4T7XK-9QWZ2-M3V8C'] }), {
  description: 'Ten codes. Each replaces the second factor once. They are shown only here',
  examples: [['4T7XK-9QWZ2-M3V8C', '0VJ5N-H8C3M-7RTQ4']],
})

const AuthenticatorApp = nullable(
  Type.Object(
    {
      addedAt: Time,
      lastUsedAt: nullable(Time),
      isBlocked: Type.Boolean({
        description: 'Whether too many wrong codes were entered. A passkey or a recovery code unblocks the app',
        examples: [false],
      }),
    },
    { title: 'AuthenticatorApp', description: 'Null without one' },
  ),
)

export const SecondFactor = Type.Object(
  {
    isRequired: Type.Boolean({ description: 'Whether two-step sign-in is on', examples: [true] }),
    authenticatorApp: AuthenticatorApp,
    passkeys: Type.Integer({ description: 'The number of passkeys', examples: [0] }),
    recoveryCodesLeft: Type.Integer({ examples: [10] }),
  },
  { title: 'SecondFactor' },
)
