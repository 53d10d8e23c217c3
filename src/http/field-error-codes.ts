/** The codes of the errors of fields, each with its meaning. A released code never changes its meaning. */
export const FIELD_ERROR_CODES = {
  required: 'The field is missing, empty or blank',
  invalid_type: 'The value has another type, such as a number instead of text, or text instead of a file',
  invalid_format: 'The value does not have the form that the field asks for',
  too_short: 'The text has too few characters',
  too_long: 'The text has too many characters',
  too_many: 'The list has too many entries, or the form too many parts',
  too_deep: 'The body is nested too deeply',
  too_large: 'The picture has too many pixels, or takes too long to decode',
  too_common: 'The password is one that many people choose',
  breached_password: 'The password is in the list of breached passwords that the service is set up with',
  out_of_range: 'The number is too small or too large, or the text is no date in the past',
  not_allowed: 'The value is none of the allowed ones',
  mismatch: 'The value differs from the field that it repeats',
  unsupported_media_type: 'The body has another media type than the operation accepts',
} as const

export type FieldErrorCode = keyof typeof FIELD_ERROR_CODES
