import { randomUUID } from 'node:crypto'
import { newEmail, PASSWORD } from './api.ts'

/** A good value for every field that any route takes. */
export const SAMPLES: Record<string, unknown> = {
  ...{
    firstName: 'Grace',
    lastName: 'Hopper',
    email: newEmail(),
    username: 'grace.h',
    bio: 'Hello',
    dob: '1906-12-09',
  },
  ...{ password: PASSWORD, newPassword: PASSWORD, confirmPassword: PASSWORD, currentPassword: 'Wrong-Horse-7' },
  ...{ verificationCode: '123456', resetToken: '123456', refreshToken: 'x', sessionId: randomUUID() },
  // A text is never a file, nor is anything else that JSON has.
  file: undefined,
  ...{ avatar: 'https://example.com/me.png', location: {}, socialAccounts: [], preferences: {}, provider: 'codehost' },
  redirectTo: '/about',
}

export function samplesFor({ fields }: { fields: string[] }): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, SAMPLES[field]]))
}
