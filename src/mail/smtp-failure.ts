/** What an error of Nodemailer carries beside its message. */
interface SmtpError extends Error {
  code?: string
  /** The code of the system error behind it, such as ECONNREFUSED. */
  originalCode?: string
  responseCode?: number
  /** OpenSSL's words. */
  reason?: string
}

/**
 * Of a failure that a setting can cure: which setting it is, and what is wrong. The server's own words are left out, since
 * they may repeat the password. A refusal of one mail is no fault of the settings and stays as it is.
 */
export function explainSmtpFailure(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error
  const fault = faultOfSettings(error, new URL(url))
  return fault ? Object.assign(new Error(`SMTP_URL: ${fault.what}`), { code: fault.code }) : error
}

function faultOfSettings(error: SmtpError, { protocol, hostname, host }: URL) {
  const { code = '', originalCode = code, responseCode = '', message, reason = message } = error
  if (code === 'EDNS') return { code, what: `the host ${hostname} cannot be resolved (${originalCode})` }
  if (code === 'EAUTH') return { code, what: `${host} does not accept the user name and password (${responseCode})` }
  // RFC 4954, section 6: the server wants AUTH before any mail.
  if (responseCode === 530) return { code: 'EAUTH', what: `${host} asks for a user name and password (530)` }
  if (failedTls(error)) {
    const cure = protocol === 'smtps:' ? 'smtp:// uses STARTTLS' : 'SMTP_TLS=off sends mail in plain text'
    return { code: 'ETLS', what: `${host} offers no TLS that can be verified (${cure}): ${reason}` }
  }
  if (originalCode === 'ECONNREFUSED') return { code, what: `nothing listens at ${host} (ECONNREFUSED)` }
  if (CONNECTION_FAULTS.has(code)) return { code, what: `no SMTP connection to ${host} (${originalCode})` }
  return undefined
}

const CONNECTION_FAULTS = new Set(['ESOCKET', 'ECONNECTION', 'ETIMEDOUT', 'EPROTOCOL'])

/** `EHLO failed …` is what Nodemailer says of a server that does not know EHLO, and so no STARTTLS (RFC 3207). */
function failedTls({ code, originalCode = '', message }: SmtpError): boolean {
  return code === 'ETLS' || message.startsWith('EHLO failed') || /^ERR_(SSL|TLS)|CERT|^UNABLE_TO_/.test(originalCode)
}
