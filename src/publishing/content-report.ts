import { type ContentReport, examineLibrary } from '../content/check-content.ts'
import type { Library } from '../content/library.ts'
import type { PackedFacts } from '../content/packed-facts.ts'

/** Returns a function that examines the folder, as it is now, when it is first called. Later calls get the same report. */
export function reportOnce(
  library: Library,
  readFacts: () => Promise<ReadonlyMap<string, PackedFacts>>,
  baseUrl: string,
): () => Promise<ContentReport> {
  const readAt = new Date()
  let report: Promise<ContentReport> | undefined
  return () => {
    report ??= readFacts().then((facts) => examineLibrary(library, baseUrl, readAt, facts))
    return report
  }
}
