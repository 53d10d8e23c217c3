import { type ContentReport, examineLibrary } from '../content/check-content.ts'
import type { Library } from '../content/library.ts'
import type { ReportedMetadata } from '../content/serialized-metadata.ts'
import type { StoredText } from '../lib/stored-text.ts'

/**
 * Returns a function that examines the folder, as it is now, when it is first called. Later calls get the same report.
 */
export function reportOnce(
  library: Library,
  metadataOf: (markdown: StoredText) => Promise<ReportedMetadata>,
  baseUrl: string,
): () => Promise<ContentReport> {
  const readAt = new Date()
  let report: Promise<ContentReport> | undefined
  return () => {
    report ??= examineLibrary(library, baseUrl, readAt, metadataOf).catch((error) => {
      report = undefined
      throw error
    })
    return report
  }
}
