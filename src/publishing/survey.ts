import { documentAddresses, documentFaults } from '../content/content-faults.ts'
import { findWarnings } from '../content/content-warnings.ts'
import type { DocumentRenderer } from '../content/document-renderer.ts'
import { ContentFault } from '../content/fault.ts'
import type { Highlighter } from '../content/highlight.ts'
import type { Library } from '../content/library.ts'
import { type PackedFacts, type SurveyedFacts, unpackFacts, unpackHeadingIds } from '../content/packed-facts.ts'
import type { SearchIndex } from '../content/search/search-index.ts'
import { backgroundSteps, mapInBackground } from '../lib/background-turns.ts'
import type { PublishedPage } from '../pages/site-pages.ts'
import type { Publication } from './publication.ts'
import { indexSite } from './search.ts'

/** The results of reading every published document: they need all documents rendered once. */
export interface Survey {
  /** The content folder and the public documents that were surveyed. */
  surveyed: { texts: Library['texts']; documents: PublishedPage[] }
  /** The facts about each document, by its markdown. */
  facts: Map<string, PackedFacts>
  /** Faults of documents that are published nevertheless, such as broken links, and broken links of the site itself. */
  faults: ContentFault[]
  /** Content that works but is probably a mistake. */
  warnings: ContentFault[]
  /** Undefined if the site has no search. */
  search: SearchIndex | undefined
}

interface SurveyParts {
  renderer: Pick<DocumentRenderer, 'readFacts'>
  highlighter: Pick<Highlighter, 'note'>
  /** The facts about documents that were rendered before, by their markdown. New ones are added. */
  known: Map<string, PackedFacts>
  former: Survey | undefined
}

// If new documents are longer than this together, a thread renders them.
const MAX_MAIN_THREAD_CHARACTERS = 250_000

/**
 * Renders every published document once, as background work. Returns `former` if the folder was not read again and the
 * same documents are public, such as after pictures were made. Rejects when the signal is aborted.
 */
export async function surveyDocuments(
  library: Library,
  publication: Publication,
  signal: AbortSignal,
  { renderer, highlighter, known, former }: SurveyParts,
): Promise<Survey> {
  const { frame, published } = publication
  const documents: PublishedPage[] = [...published.posts, ...published.pages]
  const surveyed = { texts: library.texts, documents }
  if (former && isSame(former.surveyed, surveyed)) return former
  const facts = new Map<string, PackedFacts>()
  const faults: ContentFault[] = []
  const factsOfFile = new Map<string, PackedFacts>()
  const step = backgroundSteps(signal)
  const unknown = await mapInBackground(documents, ({ source }) => (known.has(source) ? 0 : source.length), signal)
  const areMany = unknown.reduce((sum, characters) => sum + characters, 0) > MAX_MAIN_THREAD_CHARACTERS
  for (const document of documents) {
    const ownFacts = known.get(document.source) ?? (await readFacts(document.source))
    if (!ownFacts) {
      faults.push(new ContentFault(document.file, document.firstLine, 'cannot be rendered'))
      continue
    }
    facts.set(document.source, ownFacts)
    factsOfFile.set(document.file, ownFacts)
    known.set(document.source, ownFacts)
    await step()
  }
  const linked = {
    published: factsOfFile,
    headingsOf(file: string) {
      const packed = factsOfFile.get(file)
      return packed ? unpackHeadingIds(packed) : new Set<string>()
    },
  }
  const found = findWarnings(library, frame.baseUrl)
  const { ofSite, ofDocument } = await documentFaults(library, linked, publication, frame.baseUrl)
  const inDocuments = await mapInBackground(
    documents,
    (document) => {
      const packed = factsOfFile.get(document.file)
      if (!packed) return []
      const ownFacts = unpackFacts(packed)
      found.note({ ...document, ...ownFacts })
      document.requestSizes(ownFacts.pictures.map(({ address }) => address))
      return ofDocument({ ...document, ...ownFacts })
    },
    signal,
  )
  await noteWaitingDocuments()
  const search = frame.site.search
    ? await indexSite(publication, ({ file }) => factsOfFile.get(file)?.passages ?? '[]', signal, former?.search)
    : undefined
  return {
    surveyed,
    facts,
    faults: [...ofSite, ...faults, ...inDocuments.flat()],
    warnings: found.warnings(),
    search,
  }

  /** Drafts and scheduled documents may use files too. */
  async function noteWaitingDocuments(): Promise<void> {
    const publicFiles = new Set(documents.map(({ file }) => file))
    const waiting = [...library.posts, ...library.pages].filter(({ file }) => !publicFiles.has(file))
    if (waiting.length === 0) return
    const addresses = await documentAddresses(library)
    for (const document of waiting) {
      const ownFacts = known.get(document.markdown) ?? (await readFacts(document.markdown))
      if (!ownFacts) continue
      facts.set(document.markdown, ownFacts)
      found.note({ ...document, ...unpackFacts(ownFacts), path: addresses.get(document.file) ?? '' })
      await step()
    }
  }

  /** Undefined for a document that cannot be rendered. A request for its page logs the error. */
  async function readFacts(markdown: string): Promise<PackedFacts | undefined> {
    const { facts, code } = await renderer.readFacts(markdown, areMany).catch((): Partial<SurveyedFacts> => ({}))
    for (const { code: text, language } of code ?? []) highlighter.note(text, language)
    return facts
  }
}

function isSame(former: Survey['surveyed'], { texts, documents }: Survey['surveyed']): boolean {
  return (
    former.texts === texts &&
    former.documents.length === documents.length &&
    documents.every((document, place) => document === former.documents[place])
  )
}
