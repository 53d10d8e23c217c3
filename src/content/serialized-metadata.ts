import type { Code } from './code-block.ts'
import type { DocumentMetadata, Rendered } from './markdown.ts'
import { type SerializedPassages, serializePassages } from './search/passages.ts'

/** The metadata that the checks of a document itself need. */
export type CheckedMetadata = Omit<DocumentMetadata, 'passages' | 'headings' | 'anchors'>

/** The ids of a document that a link can lead to, which the checks of links to it need. */
export type Anchors = Pick<ReadonlySet<string>, 'has'>

/** The metadata that the report about the whole folder needs. */
export type ReportedMetadata = CheckedMetadata & { anchors: Anchors }

/**
 * The metadata of a document as JSON. Those of all documents are kept in memory. As objects, they would lengthen
 * the pauses of the garbage collector on a large site.
 */
export interface SerializedMetadata {
  checked: string
  anchors: string
  passages: SerializedPassages
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
  anchors,
  openComments,
  problems,
  warnings,
  passages,
}: DocumentMetadata): SerializedMetadata {
  const checked: CheckedMetadata = { links, pictures, openComments, problems, warnings }
  return {
    checked: JSON.stringify(checked),
    anchors: JSON.stringify([...anchors]),
    passages: serializePassages(passages),
  }
}

/** The metadata of a document that cannot be rendered. */
export function unrenderable(): ReportedMetadata {
  const problems = [{ line: 1, problem: 'cannot be rendered' }]
  return { links: [], pictures: [], anchors: new Set(), openComments: [], problems, warnings: [] }
}

export function deserializeChecked({ checked }: SerializedMetadata): CheckedMetadata {
  return JSON.parse(checked)
}

export function deserializeAnchors({ anchors }: SerializedMetadata): Anchors {
  return new Set(JSON.parse(anchors))
}

export function deserializeReported(metadata: SerializedMetadata): ReportedMetadata {
  return { ...deserializeChecked(metadata), anchors: deserializeAnchors(metadata) }
}
