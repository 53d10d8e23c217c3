import { setImmediate } from 'node:timers/promises'
import { documentFaults, siteFaults } from '../content/content-faults.ts'
import { ContentFault } from '../content/fault.ts'
import type { Library } from '../content/library.ts'
import type { DocumentFacts } from '../content/markdown.ts'
import type { SearchIndex } from '../content/search/search-index.ts'
import { mapOneByOne, STEPS_AT_ONCE } from '../lib/one-by-one.ts'
import type { PublishedPage } from '../pages/site-pages.ts'
import type { Publication } from './publication.ts'
import { indexSite } from './search.ts'

/** The results of reading every published document: they need all documents rendered once. */
export interface Survey {
  /** The facts about each document, by its markdown. */
  facts: Map<string, DocumentFacts>
  /** Faults of documents that are published nevertheless, such as broken links. */
  faults: ContentFault[]
  /** Undefined if the site has no search. */
  search: SearchIndex | undefined
}

/**
 * Renders every published document once, one at a time, so that requests are served meanwhile. Facts about unchanged
 * markdown are taken from `known`, and new ones are added to it. Rejects when the signal is aborted.
 */
export async function surveyDocuments(
  library: Library,
  publication: Publication,
  signal: AbortSignal,
  known: Map<string, DocumentFacts>,
  formerSearch?: SearchIndex,
): Promise<Survey> {
  const { frame, published } = publication
  const facts = new Map<string, DocumentFacts>()
  const faults: ContentFault[] = []
  const surveyed: (PublishedPage & DocumentFacts)[] = []
  for (const document of [...published.posts, ...published.pages]) {
    const knownFacts = known.get(document.source)
    const ownFacts = knownFacts ?? factsOf(document)
    if (!ownFacts) {
      faults.push(new ContentFault(document.file, document.firstLine, 'cannot be rendered'))
      continue
    }
    facts.set(document.source, ownFacts)
    surveyed.push({ ...document, ...ownFacts })
    known.set(document.source, ownFacts)
    if (!knownFacts || surveyed.length % STEPS_AT_ONCE === 0) await setImmediate(undefined, { signal })
  }
  const faultsOf = await documentFaults(library, surveyed, publication, frame.baseUrl)
  const inDocuments = await mapOneByOne(surveyed, faultsOf)
  signal.throwIfAborted()
  const passages = new Map(surveyed.map(({ file, passages }) => [file, passages]))
  const search = frame.site.search
    ? await indexSite(publication, ({ file }) => passages.get(file) ?? [], signal, formerSearch)
    : undefined
  return { facts, faults: [...faults, ...siteFaults(library, publication), ...inDocuments.flat()], search }
}

/** Undefined for a document that cannot be rendered. A request for its page logs the error. */
function factsOf({ body }: PublishedPage): DocumentFacts | undefined {
  try {
    const { links, pictures, headings, openComments, problems, passages } = body()
    return { links, pictures, headings, openComments, problems, passages }
  } catch {
    return undefined
  }
}
