/** Messages to show after a form has succeeded. A cookie carries the name of the notice to the next page. */
const NOTICES = {
  'account-created': 'Your account is created. We have mailed you a code: enter it here, or open the link in the mail.',
  'email-verified': 'Your address is verified, and you are signed in. Welcome!',
  'password-needed':
    'Your address is verified, and you are signed in. More than one person may have signed up with it, so we kept neither a password nor a name. Please set a password now, and enter your name in your profile.',
  'code-resent': 'If the account needs verification, a new code is on its way.',
  'reset-code-sent': 'If there is an account with that address, a mail with a code and a link is on its way to it.',
  'log-in-code-sent': 'If there is an account with that address, a mail with a code and a link is on its way to it.',
  'email-change-requested': 'If the address can be used, a mail with a code and a link is on its way to it.',
  'email-changed':
    'Your e-mail address is changed. We have told your former address, which can undo this for 72 hours.',
  'email-change-undone':
    'Your account has this address again, and every device is signed out. Choose a new password now, so that nobody else can log in.',
  'password-reset': 'Your password is changed, and every device is signed out. Log in with the new one.',
  'password-changed': 'Your password is changed. All other devices are signed out.',
  'password-set': 'Your password is set, and all other devices are signed out. You can log in with it from now on.',
  'password-removed': 'Your password is removed. You sign in with a passkey or a provider from now on.',
  'passkey-added': 'Your passkey is added. You can sign in with it from now on.',
  'passkey-renamed': 'Your passkey has its new name.',
  'passkey-removed': 'The passkey is removed. You can delete it from your device too.',
  'profile-saved': 'Your profile is saved.',
  'preferences-saved': 'This is how the site looks to you from now on.',
  'avatar-set': 'Your new picture is in place.',
  'avatar-removed': 'Your picture is removed.',
  'username-changed': 'Your username is changed.',
  'sign-in-linked': 'The provider is connected. You can sign in with it from now on.',
  'sign-in-unlinked': 'The provider is removed. It no longer signs in to this account.',
  'confirmation-code-sent': 'We have mailed you a code. Enter it here.',
  'identity-proven': 'Thank you, it is you. Now make the change again.',
  'second-factor-proven': 'Thank you, it is you.',
  'app-removed': 'The authenticator app is removed.',
  'two-step-on': 'Two-step sign-in is on.',
  'two-step-off': 'Two-step sign-in is off. The recovery codes no longer work.',
  'browsers-forgotten': 'The next sign-in there needs the second step again.',
  'session-revoked': 'That device is signed out.',
  'sessions-revoked': 'All other devices are signed out.',
  'person-created': 'The account is created. Mail a password reset, so that the person can choose a password.',
  'person-verified': 'The address is verified.',
  'person-renamed': 'The person has the new username.',
  'person-signed-out': 'All devices of the person are signed out.',
  'reset-mailed': 'A mail with a code and a link is on its way to the person.',
  'factors-reset': 'The second factors and passkeys are removed. The person gets a mail about it.',
  'person-suspended': 'The person is suspended, and all their devices are signed out.',
  'suspension-lifted': 'The suspension is lifted. The person can sign in again.',
  'role-changed': 'The role is changed. It applies from now on.',
  'person-deleted': 'The person and everything that belonged to them are deleted.',
  'account-deleted': 'Your account and everything that belonged to it are deleted.',
  'logged-out': 'You are logged out.',
  'session-over': 'You were signed out, so nothing was changed. Log in to go on.',
}

export type Notice = keyof typeof NOTICES

/** Undefined for unknown names, since clients can send any cookie. */
export function noticeOf(name: string | undefined): string | undefined {
  return name !== undefined && Object.hasOwn(NOTICES, name) ? NOTICES[name as Notice] : undefined
}
