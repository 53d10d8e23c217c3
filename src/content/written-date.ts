import { instantOf } from '../http/schema-keywords.ts'

/** A day (midnight UTC) or a moment, in ISO 8601 or as other engines write it. */
export function writtenDate(text: string): Date | undefined {
  return instantOf(text) ?? instantOf(withIsoTime(text))
}

// A date and a time of other engines: with spaces or "T" between them, and a zone with or without a colon.
const DATE_AND_TIME = /^(\d{4}-\d\d-\d\d)(?:[ \t]+|T)(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)[ \t]*(?:(Z)|([+-]\d\d):?(\d\d))?$/

/** "2026-12-31 09:00:00 +0100", as other engines write it, becomes "2026-12-31T09:00:00+01:00". */
function withIsoTime(text: string): string {
  return text.replace(DATE_AND_TIME, (_all, day, time, utc = '', hours, minutes) =>
    hours ? `${day}T${time}${hours}:${minutes}` : `${day}T${time}${utc}`,
  )
}
