import { documentAddresses, documentFaults } from '../content/content-faults.ts'
import { findWarnings } from '../content/content-warnings.ts'
import type { DocumentRenderer } from '../content/document-renderer.ts'
import { ContentFault } from '../content/fault.ts'
import type { Highlighter } from '../content/highlight.ts'
import type { Library } from '../content/library.ts'
import { serializePassages } from '../content/search/passages.ts'
import type { SearchIndex } from '../content/search/search-index.ts'
import {
  deserializeAnchors,
  deserializeChecked,
  type MetadataAndCode,
  type SerializedMetadata,
} from '../content/serialized-metadata.ts'
import { backgroundSteps, mapInBackground } from '../lib/cooperative-scheduling.ts'
import type { StoredText } from '../lib/stored-text.ts'
import type { PublishedPage } from '../pages/site-pages.ts'
import type { Publication } from './publication.ts'
import { indexSite } from './search.ts'

/** The results that need every document rendered once: metadata, faults, warnings and the search index. */
export interface ContentAnalysis {
  /** The content folder and the public documents that were analysed. */
  analysed: { texts: Library['texts']; documents: PublishedPage[] }
  /** The metadata of each document, by its markdown, which is the same object until its file changes. */
  metadata: Map<StoredText, SerializedMetadata>
  /** Faults of documents that are published nevertheless, such as broken links, and broken links of the site itself. */
  faults: ContentFault[]
  /** Content that works but is probably a mistake. */
  warnings: ContentFault[]
  /** Undefined if the site has no search. */
  search: SearchIndex | undefined
}

interface AnalysisParts {
  renderer: Pick<DocumentRenderer, 'readMetadata'>
  highlighter: Pick<Highlighter, 'enqueue'>
  /** The metadata of documents that were rendered before, by their markdown. New ones are added. */
  known: Map<StoredText, SerializedMetadata>
  previous: ContentAnalysis | undefined
}

const NO_PASSAGES = serializePassages([])
// If the new documents together are longer than this, a thread renders them.
const MAX_MAIN_THREAD_CHARACTERS = 250_000

/**
 * Renders every published document once, as background work, and the others for the files that they use. Returns
 * `previous` if the folder was not read again and the same documents are public, such as after pictures were made.
 * Rejects when the signal is aborted.
 */
export async function analyseDocuments(
  library: Library,
  publication: Publication,
  signal: AbortSignal,
  { renderer, highlighter, known, previous }: AnalysisParts,
): Promise<ContentAnalysis> {
  signal.throwIfAborted()
  const { frame, published } = publication
  const documents: PublishedPage[] = [...published.posts, ...published.pages]
  const analysed = { texts: library.texts, documents }
  if (previous && isSame(previous.analysed, analysed)) return previous
  const metadata = new Map<StoredText, SerializedMetadata>()
  const faults: ContentFault[] = []
  const metadataOfFile = new Map<string, SerializedMetadata>()
  const step = backgroundSteps(signal)
  const unknown = await mapInBackground(documents, ({ source }) => (known.has(source) ? 0 : source.length), signal)
  const areMany = unknown.reduce((sum, characters) => sum + characters, 0) > MAX_MAIN_THREAD_CHARACTERS
  for (const document of documents) {
    const ownMetadata = known.get(document.source) ?? (await readMetadata(document.source))
    if (!ownMetadata) {
      faults.push(new ContentFault(document.file, document.firstLine, 'cannot be rendered'))
      continue
    }
    metadata.set(document.source, ownMetadata)
    metadataOfFile.set(document.file, ownMetadata)
    known.set(document.source, ownMetadata)
    await step()
  }
  const linked = {
    published: metadataOfFile,
    anchorsOf(file: string) {
      const serialized = metadataOfFile.get(file)
      return serialized ? deserializeAnchors(serialized) : new Set<string>()
    },
  }
  const contentWarnings = findWarnings(library, frame.baseUrl)
  const { ofSite, ofDocument } = await documentFaults(library, linked, publication, frame.baseUrl)
  const inDocuments = await mapInBackground(
    documents,
    (document) => {
      const serialized = metadataOfFile.get(document.file)
      if (!serialized) return []
      const ownMetadata = deserializeChecked(serialized)
      contentWarnings.recordUsage({ ...document, ...ownMetadata })
      document.requestSizes(ownMetadata.pictures.map(({ address }) => address))
      return ofDocument({ ...document, ...ownMetadata })
    },
    signal,
  )
  await recordUsageOfWaitingDocuments()
  const search = frame.site.search
    ? await indexSite(
        publication,
        ({ file }) => metadataOfFile.get(file)?.passages ?? NO_PASSAGES,
        signal,
        previous?.search,
      )
    : undefined
  return {
    analysed,
    metadata,
    faults: [...ofSite, ...faults, ...inDocuments.flat()],
    warnings: await contentWarnings.warnings(signal),
    search,
  }

  /** Drafts and scheduled documents may use files too. */
  async function recordUsageOfWaitingDocuments(): Promise<void> {
    const publicFiles = new Set(documents.map(({ file }) => file))
    const waiting = [...library.posts, ...library.pages].filter(({ file }) => !publicFiles.has(file))
    if (waiting.length === 0) return
    const addresses = await documentAddresses(library)
    for (const document of waiting) {
      const ownMetadata = known.get(document.markdown) ?? (await readMetadata(document.markdown))
      if (!ownMetadata) continue
      metadata.set(document.markdown, ownMetadata)
      contentWarnings.recordUsage({
        ...document,
        ...deserializeChecked(ownMetadata),
        path: addresses.get(document.file) ?? '',
      })
      await step()
    }
  }

  /** Undefined for a document that cannot be rendered. A request for its page logs the error. */
  async function readMetadata(markdown: StoredText): Promise<SerializedMetadata | undefined> {
    const { metadata, code } = await renderer
      .readMetadata(markdown.toString(), areMany)
      .catch((): Partial<MetadataAndCode> => ({}))
    for (const { code: text, language } of code ?? []) highlighter.enqueue(text, language)
    return metadata
  }
}

function isSame(previous: ContentAnalysis['analysed'], { texts, documents }: ContentAnalysis['analysed']): boolean {
  return (
    previous.texts === texts &&
    previous.documents.length === documents.length &&
    documents.every((document, place) => document === previous.documents[place])
  )
}
