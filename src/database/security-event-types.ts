/** The types of security events, each with the text that the owner of the account reads. */
export const SECURITY_EVENTS = {
  'account.created': 'Account created',
  'email.verification-requested': 'New verification code requested',
  'email.verified': 'E-mail address verified',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'log-in.failed': 'Somebody tried to log in with a wrong password',
  'password.refused': 'A wrong password was entered while signed in',
  'identity.proven': 'Identity proved again, for a sensitive change',
  'session.revoked': 'Another session was signed out',
  'sessions.revoked': 'All other sessions were signed out',
  'session.token-reused': 'An old refresh token was used again: the session was ended',
  'password.reset-requested': 'Password reset requested',
  'password.reset': 'Password reset with a code from the mailbox',
  'password.changed': 'Password changed',
  'password.set': 'Password set for the first time',
  'profile.updated': 'Profile updated',
  'username.changed': 'Username changed',
  'avatar.set': 'Avatar changed',
  'avatar.removed': 'Avatar removed',
  'sign-in.linked': 'A sign-in provider was connected',
  'sign-in.unlinked': 'A sign-in provider was removed',
} as const

export type SecurityEventType = keyof typeof SECURITY_EVENTS
export const SECURITY_EVENT_TYPES = Object.keys(SECURITY_EVENTS) as SecurityEventType[]
