/**
 * The fields that a refusal without field errors is about, by the code of the refusal. A form has at most one of them,
 * which is marked and gets the focus. The message is in the notice at the top of the page.
 */
export const REFUSED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  email_taken: ['email'],
  invalid_app_code: ['code'],
  invalid_email_change_code: ['code'],
  invalid_log_in_code: ['code'],
  invalid_proof: ['password', 'code', 'mailedCode'],
  invalid_reset_token: ['resetToken'],
  invalid_second_factor: ['code', 'recoveryCode'],
  invalid_verification_code: ['verificationCode'],
  username_taken: ['username'],
  wrong_current_password: ['currentPassword'],
  wrong_password: ['password'],
}
