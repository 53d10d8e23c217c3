import type { Code } from './code-block.ts'
import type { DocumentMetadata, Rendered } from './markdown.ts'
import { serializePassages } from './search/passages.ts'

/** The metadata that the checks of a document itself need. */
export type CheckedMetadata = Omit<DocumentMetadata, 'passages' | 'headings'>

/** The ids of the headings of a document, which the checks of links to it need. */
export type HeadingIds = Pick<ReadonlySet<string>, 'has'>

/** The metadata that the report about the whole folder needs. */
export type ReportedMetadata = CheckedMetadata & { headings: HeadingIds }

/**
 * The metadata of a document as JSON texts. Those of all documents are kept in memory. As objects, they would lengthen
 * the pauses of the garbage collector on a large site.
 */
export interface SerializedMetadata {
  checked: string
  headingIds: string
  passages: string
}

/** The metadata of a document, and its blocks of code, which the content analysis reads. */
export interface MetadataAndCode {
  metadata: SerializedMetadata
  code: Pick<Code, 'code' | 'language'>[]
}

export function metadataAndCodeOf({ html, ...metadata }: Rendered): MetadataAndCode {
  const code = html.flatMap((part) => (typeof part === 'string' ? [] : [{ code: part.code, language: part.language }]))
  return { metadata: serialize(metadata), code }
}

function serialize({
  links,
  pictures,
  headings,
  openComments,
  problems,
  warnings,
  passages,
}: DocumentMetadata): SerializedMetadata {
  const checked: CheckedMetadata = { links, pictures, openComments, problems, warnings }
  return {
    checked: JSON.stringify(checked),
    headingIds: JSON.stringify([...headings.keys()]),
    passages: serializePassages(passages),
  }
}

/** The metadata of a document that cannot be rendered. */
export function unrenderable(): ReportedMetadata {
  const problems = [{ line: 1, problem: 'cannot be rendered' }]
  return { links: [], pictures: [], headings: new Set(), openComments: [], problems, warnings: [] }
}

export function deserializeChecked({ checked }: SerializedMetadata): CheckedMetadata {
  return JSON.parse(checked)
}

export function deserializeHeadingIds({ headingIds }: SerializedMetadata): HeadingIds {
  return new Set(JSON.parse(headingIds))
}

export function deserializeReported(metadata: SerializedMetadata): ReportedMetadata {
  return { ...deserializeChecked(metadata), headings: deserializeHeadingIds(metadata) }
}
