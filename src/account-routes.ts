import { beginPasskeyLogIn, beginPasskeyProof } from './accounts/begin-passkey.ts'
import { changeEmail } from './accounts/change-email.ts'
import { changePassword } from './accounts/change-password.ts'
import { changeUsername } from './accounts/change-username.ts'
import { checkUsername } from './accounts/check-username.ts'
import { confirmEmailChange } from './accounts/confirm-email-change.ts'
import { createAccount } from './accounts/create-account.ts'
import { deleteAccount } from './accounts/delete-account.ts'
import { forgotPassword } from './accounts/forgot-password.ts'
import { listSecurityEvents } from './accounts/list-security-events.ts'
import { logIn } from './accounts/log-in.ts'
import { logInCode } from './accounts/log-in-code.ts'
import { logInCodeVerify } from './accounts/log-in-code-verify.ts'
import { logInSecondFactor } from './accounts/log-in-second-factor.ts'
import { logInWithPasskey } from './accounts/log-in-with-passkey.ts'
import { mailReauthenticationCode } from './accounts/mail-reauthentication-code.ts'
import { readProfile } from './accounts/read-profile.ts'
import { reauthenticate } from './accounts/reauthenticate.ts'
import { removeAvatar } from './accounts/remove-avatar.ts'
import { resendVerification } from './accounts/resend-verification.ts'
import { resetPassword } from './accounts/reset-password.ts'
import { setAvatar } from './accounts/set-avatar.ts'
import { undoEmailChange } from './accounts/undo-email-change.ts'
import { updateProfile } from './accounts/update-profile.ts'
import { uploadPicture } from './accounts/upload-picture.ts'
import { userData } from './accounts/user-data.ts'
import { verifyEmail } from './accounts/verify-email.ts'
import { addAuthenticatorApp } from './factors/add-authenticator-app.ts'
import { addPasskey } from './factors/add-passkey.ts'
import { beginPasskeyRegistration } from './factors/begin-passkey-registration.ts'
import { changeSecondFactor } from './factors/change-second-factor.ts'
import { confirmAuthenticatorApp } from './factors/confirm-authenticator-app.ts'
import { forgetRememberedBrowsers } from './factors/forget-remembered-browsers.ts'
import { listPasskeys } from './factors/list-passkeys.ts'
import { listRememberedBrowsers } from './factors/list-remembered-browsers.ts'
import { readSecondFactor } from './factors/read-second-factor.ts'
import { removeAuthenticatorApp } from './factors/remove-authenticator-app.ts'
import { removePasskey } from './factors/remove-passkey.ts'
import { removePassword } from './factors/remove-password.ts'
import { renamePasskey } from './factors/rename-passkey.ts'
import { replaceRecoveryCodes } from './factors/replace-recovery-codes.ts'
import type { OperationRoute } from './http/operation.ts'
import { finishSignIn } from './oauth/finish-sign-in.ts'
import { linkAccount } from './oauth/link-account.ts'
import { listLinkedAccounts } from './oauth/list-linked-accounts.ts'
import { startSignIn } from './oauth/start-sign-in.ts'
import { unlinkAccount } from './oauth/unlink-account.ts'
import type { Portico } from './portico.ts'
import { listSessions } from './sessions/list.ts'
import { logOut } from './sessions/log-out.ts'
import { refreshToken } from './sessions/refresh.ts'
import { revokeSession } from './sessions/revoke.ts'
import { revokeOtherSessions } from './sessions/revoke-others.ts'

/** The operations of the account API. */
export const accountRoutes = (portico: Portico): OperationRoute[] => [
  ['POST', '/api/create-account', createAccount(portico)],
  ['POST', '/api/email-verification', verifyEmail(portico)],
  ['POST', '/api/email-verification/resend', resendVerification(portico)],
  ['POST', '/api/log-in', logIn(portico)],
  ['POST', '/api/log-in/second-factor', logInSecondFactor(portico)],
  ['POST', '/api/log-in/passkey/options', beginPasskeyLogIn(portico)],
  ['POST', '/api/log-in/passkey', logInWithPasskey(portico)],
  ['POST', '/api/log-in/code', logInCode(portico)],
  ['POST', '/api/log-in/code/verify', logInCodeVerify(portico)],
  ['POST', '/api/auth/refresh-token', refreshToken(portico)],
  ['POST', '/api/auth/logout', logOut(portico)],
  ['GET', '/api/oauth/codehost/start', startSignIn('codehost', portico)],
  ['GET', '/api/oauth/codehost', finishSignIn('codehost', portico)],
  ['GET', '/api/oauth/idp/start', startSignIn('idp', portico)],
  ['GET', '/api/oauth/idp', finishSignIn('idp', portico)],
  ['GET', '/api/linked-accounts', listLinkedAccounts(portico)],
  ['POST', '/api/linked-accounts', linkAccount(portico)],
  ['DELETE', '/api/linked-accounts', unlinkAccount(portico)],
  ['POST', '/api/forgot-password', forgotPassword(portico)],
  ['POST', '/api/reset-password', resetPassword(portico)],
  ['POST', '/api/change-password', changePassword(portico)],
  ['DELETE', '/api/password', removePassword(portico)],
  ['GET', '/api/passkeys', listPasskeys(portico)],
  ['POST', '/api/passkeys/registration-options', beginPasskeyRegistration(portico)],
  ['POST', '/api/passkeys', addPasskey(portico)],
  ['POST', '/api/passkeys/rename', renamePasskey(portico)],
  ['DELETE', '/api/passkeys', removePasskey(portico)],
  ['POST', '/api/reauthenticate', reauthenticate(portico)],
  ['POST', '/api/reauthenticate/code', mailReauthenticationCode(portico)],
  ['GET', '/api/second-factor', readSecondFactor(portico)],
  ['POST', '/api/second-factor', changeSecondFactor(portico)],
  ['POST', '/api/authenticator-app', addAuthenticatorApp(portico)],
  ['POST', '/api/authenticator-app/confirm', confirmAuthenticatorApp(portico)],
  ['DELETE', '/api/authenticator-app', removeAuthenticatorApp(portico)],
  ['POST', '/api/recovery-codes', replaceRecoveryCodes(portico)],
  ['GET', '/api/remembered-browsers', listRememberedBrowsers(portico)],
  ['DELETE', '/api/remembered-browsers', forgetRememberedBrowsers(portico)],
  ['POST', '/api/reauthenticate/passkey-options', beginPasskeyProof(portico)],
  ['POST', '/api/change-email', changeEmail(portico)],
  ['POST', '/api/change-email/confirm', confirmEmailChange(portico)],
  ['POST', '/api/change-email/undo', undoEmailChange(portico)],
  ['GET', '/api/user-details', readProfile()],
  ['POST', '/api/user-details', updateProfile(portico)],
  ['GET', '/api/change-username', checkUsername(portico)],
  ['POST', '/api/change-username', changeUsername(portico)],
  ['POST', '/api/upload-avatar', setAvatar(portico)],
  ['DELETE', '/api/upload-avatar', removeAvatar(portico)],
  ['GET', '/api/user-data', userData(portico)],
  ['DELETE', '/api/delete-user', deleteAccount(portico)],
  ['GET', '/api/sessions', listSessions(portico)],
  ['DELETE', '/api/sessions', revokeSession(portico)],
  ['DELETE', '/api/sessions/others', revokeOtherSessions(portico)],
  ['GET', '/api/security-events', listSecurityEvents(portico)],
  ['POST', '/api/uploads', uploadPicture(portico)],
]
