/** The additional properties of Nodemailer's errors. */
interface SmtpError extends Error {
  code?: string
  /** The code of the underlying system error, such as ECONNREFUSED. */
  originalCode?: string
  responseCode?: number
  /** OpenSSL's message. */
  reason?: string
}

/**
 * Returns an error that names the setting to change, if the failure is caused by a setting. Its message leaves out the
 * server's response, which may repeat the password. Other errors, such as the refusal of one mail, are returned
 * unchanged.
 */
export function explainSmtpFailure(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error
  const fault = settingsError(error, new URL(url))
  return fault ? Object.assign(new Error(`SMTP_URL: ${fault.what}`), { code: fault.code }) : error
}

function settingsError(error: SmtpError, { protocol, hostname, host }: URL) {
  const { code = '', originalCode = code, responseCode = '', message, reason = message } = error
  if (code === 'EDNS') return { code, what: `the host ${hostname} cannot be resolved (${originalCode})` }
  if (code === 'EAUTH') return { code, what: `${host} does not accept the user name and password (${responseCode})` }
  // RFC 4954, section 6: 530 means that the server requires authentication.
  if (responseCode === 530) return { code: 'EAUTH', what: `${host} asks for a user name and password (530)` }
  if (isTlsError(error)) {
    const cure = protocol === 'smtps:' ? 'smtp:// uses STARTTLS' : 'SMTP_TLS=off sends mail in plain text'
    return { code: 'ETLS', what: `${host} offers no TLS that can be verified (${cure}): ${reason}` }
  }
  if (originalCode === 'ECONNREFUSED') return { code, what: `nothing listens at ${host} (ECONNREFUSED)` }
  if (CONNECTION_ERROR_CODES.has(code)) return { code, what: `no SMTP connection to ${host} (${originalCode})` }
  return undefined
}

const CONNECTION_ERROR_CODES = new Set(['ESOCKET', 'ECONNECTION', 'ETIMEDOUT', 'EPROTOCOL'])

/** Nodemailer's `EHLO failed …` means that the server does not support EHLO, and therefore not STARTTLS (RFC 3207). */
function isTlsError({ code, originalCode = '', message }: SmtpError): boolean {
  return code === 'ETLS' || message.startsWith('EHLO failed') || /^ERR_(SSL|TLS)|CERT|^UNABLE_TO_/.test(originalCode)
}
