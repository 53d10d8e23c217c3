import { FIELD_ERROR_CODES } from '../../http/field-error-codes.ts'
import { declaredRefusals } from '../../http/refusal.ts'

/** The tables of the error codes, as markdown. */
export function errorCodes(): string {
  const refusals = declaredRefusals().map(
    ({ code, status, message, when }) => `| \`${code}\` | ${status} | ${message} | ${when} |`,
  )
  const fields = Object.entries(FIELD_ERROR_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  return `## Error codes

An error has \`success\` false, a \`message\` for people and a \`code\` for programs. A code never changes its meaning, its status or its message. A new version may add codes: treat an unknown one by its status. The description of a call lists the codes of the call. The codes of HTTP itself, and \`internal_error\`, may come with every call.

| Code | Status | Message | When |
|---|---|---|---|
${refusals.join('\n')}

Each entry of \`errors\` has the \`field\`, a \`message\` and one of these codes:

| Code | Meaning |
|---|---|
${fields.join('\n')}`
}
