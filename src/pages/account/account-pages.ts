import { appearancePage } from './appearance.ts'
import { confirmPage } from './confirm.ts'
import { dataPage } from './data.ts'
import { emailPage } from './email.ts'
import { forgotPasswordPage } from './forgot-password.ts'
import { logInPage } from './log-in.ts'
import { logInCodePage } from './log-in-code.ts'
import { logInCodeVerifyPage } from './log-in-code-verify.ts'
import type { AccountPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'
import { profilePage } from './profile.ts'
import { resetPasswordPage } from './reset-password.ts'
import { secondFactorPage } from './second-factor.ts'
import { securityPage } from './security/page.ts'
import { signUpPage } from './sign-up.ts'
import { undoEmailChangePage } from './undo-email-change.ts'
import { usernamePage } from './username.ts'
import { verifyEmailPage } from './verify-email.ts'

/** All account pages. */
export const accountPages = (parts: AccountPageParts): AccountPage[] => [
  signUpPage(parts),
  verifyEmailPage(parts),
  logInPage(parts),
  secondFactorPage(parts),
  ...(parts.config.mailedCodeLogIn ? [logInCodePage(), logInCodeVerifyPage(parts)] : []),
  forgotPasswordPage(),
  resetPasswordPage(parts),
  profilePage(),
  usernamePage(),
  emailPage(parts),
  undoEmailChangePage(parts),
  appearancePage(),
  securityPage(parts),
  confirmPage(parts),
  dataPage(parts),
]
