import { documentFaults, siteFaults } from '../content/content-faults.ts'
import { ContentFault } from '../content/fault.ts'
import type { Library } from '../content/library.ts'
import { type PackedFacts, packFacts, unpackFacts } from '../content/packed-facts.ts'
import type { SearchIndex } from '../content/search/search-index.ts'
import { backgroundSteps, mapInBackground } from '../lib/background-turns.ts'
import type { PublishedPage } from '../pages/site-pages.ts'
import type { Publication } from './publication.ts'
import { indexSite } from './search.ts'

/** The results of reading every published document: they need all documents rendered once. */
export interface Survey {
  /** The facts about each document, by its markdown. */
  facts: Map<string, PackedFacts>
  /** Faults of documents that are published nevertheless, such as broken links. */
  faults: ContentFault[]
  /** Undefined if the site has no search. */
  search: SearchIndex | undefined
}

/**
 * Renders every published document once, as background work. Facts about unchanged
 * markdown are taken from `known`, and new ones are added to it. Rejects when the signal is aborted.
 */
export async function surveyDocuments(
  library: Library,
  publication: Publication,
  signal: AbortSignal,
  known: Map<string, PackedFacts>,
  formerSearch?: SearchIndex,
): Promise<Survey> {
  const { frame, published } = publication
  const facts = new Map<string, PackedFacts>()
  const faults: ContentFault[] = []
  const factsOfFile = new Map<string, PackedFacts>()
  const step = backgroundSteps(signal)
  const documents = [...published.posts, ...published.pages]
  for (const document of documents) {
    const knownFacts = known.get(document.source)
    const ownFacts = knownFacts ?? factsOf(document)
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
      return packed ? unpackFacts(packed).headings : new Map()
    },
  }
  const faultsOf = await documentFaults(library, linked, publication, frame.baseUrl)
  const inDocuments = await mapInBackground(
    documents,
    (document) => {
      const ownFacts = factsOfFile.get(document.file)
      return ownFacts ? faultsOf({ ...document, ...unpackFacts(ownFacts) }) : []
    },
    signal,
  )
  const search = frame.site.search
    ? await indexSite(publication, ({ file }) => factsOfFile.get(file)?.passages ?? '[]', signal, formerSearch)
    : undefined
  return { facts, faults: [...faults, ...siteFaults(library, publication), ...inDocuments.flat()], search }
}

/** Undefined for a document that cannot be rendered. A request for its page logs the error. */
function factsOf({ body }: PublishedPage): PackedFacts | undefined {
  try {
    return packFacts(body())
  } catch {
    return undefined
  }
}
