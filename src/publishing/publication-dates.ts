import type { Library } from '../content/library.ts'

// The modification date of pages without content, such as an empty blog.
const PROCESS_START = new Date()

/** The latest modification date of some documents. */
export function latestOf(documents: { modified: Date }[]): Date {
  const latest = documents.reduce((latest, { modified }) => Math.max(latest, modified.valueOf()), 0)
  return latest > 0 ? new Date(latest) : PROCESS_START
}

/** The date of the next scheduled document. */
export function nextScheduled({ posts, pages }: Library, now: Date): Date | undefined {
  const times = [...posts, ...pages].flatMap(({ isDraft, date }) => (isDraft || !date ? [] : date.getTime()))
  const scheduled = times.filter((time) => time > now.getTime())
  return scheduled.length > 0 ? new Date(scheduled.reduce((one, other) => Math.min(one, other))) : undefined
}
