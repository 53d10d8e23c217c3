import { setImmediate } from 'node:timers/promises'
import { documentFaults, siteFaults } from '../content/content-faults.ts'
import { ContentFault } from '../content/fault.ts'
import type { Library } from '../content/library.ts'
import type { DocumentFacts } from '../content/markdown.ts'
import type { SearchIndex } from '../content/search/search-index.ts'
import { mapOneByOne } from '../lib/one-by-one.ts'
import type { PublishedPage } from '../pages/site-pages.ts'
import type { Publication } from './publication.ts'
import { indexSite } from './search.ts'

/** The results of reading every published document: they need all documents rendered once. */
export interface Survey {
  /** The facts about each document, by its markdown. */
  facts: ReadonlyMap<string, DocumentFacts>
  /** Faults of documents that are published nevertheless, such as broken links. */
  faults: ContentFault[]
  /** Undefined if the site has no search. */
  search: SearchIndex | undefined
}

/**
 * Renders every published document once, one at a time, so that requests are served meanwhile. Facts about unchanged
 * markdown are taken from `former`. Resolves to undefined if `isCurrent` becomes false.
 */
export async function surveyDocuments(
  library: Library,
  publication: Publication,
  isCurrent: () => boolean,
  former?: Survey,
): Promise<Survey | undefined> {
  const { frame, published } = publication
  const facts = new Map<string, DocumentFacts>()
  const faults: ContentFault[] = []
  const surveyed: (PublishedPage & DocumentFacts)[] = []
  for (const document of [...published.posts, ...published.pages]) {
    if (!isCurrent()) return undefined
    const known = former?.facts.get(document.source) ?? facts.get(document.source)
    const ownFacts = known ?? factsOf(document)
    if (!ownFacts) {
      faults.push(new ContentFault(document.file, document.firstLine, 'cannot be rendered'))
      continue
    }
    facts.set(document.source, ownFacts)
    surveyed.push({ ...document, ...ownFacts })
    if (!known) await setImmediate()
  }
  const faultsOf = documentFaults(library, surveyed, publication, frame.baseUrl)
  const inDocuments = await mapOneByOne(surveyed, faultsOf)
  if (!isCurrent()) return undefined
  const passages = new Map(surveyed.map(({ file, passages }) => [file, passages]))
  return {
    facts,
    faults: [...faults, ...siteFaults(library, publication), ...inDocuments.flat()],
    search: frame.site.search
      ? await indexSite(publication, ({ file }) => passages.get(file) ?? [], former?.search)
      : undefined,
  }
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
