import type { Code } from './code-block.ts'
import type { DocumentFacts, Rendered } from './markdown.ts'
import { packPassages } from './search/passages.ts'

/** The facts that the checks of a document itself need. */
export type CheckedFacts = Omit<DocumentFacts, 'passages' | 'headings'>

/** The ids of the headings of a document, which the checks of links to it need. */
export type HeadingIds = Pick<ReadonlySet<string>, 'has'>

/** The facts that the check of the whole folder needs. */
export type ExaminedFacts = CheckedFacts & { headings: HeadingIds }

/**
 * The facts about a document as JSON texts. Those of all documents are kept: as objects, they would make each garbage
 * collection of a large site longer.
 */
export interface PackedFacts {
  checked: string
  headingIds: string
  passages: string
}

/** The facts that the survey of the site reads from a document. */
export interface SurveyedFacts {
  facts: PackedFacts
  code: Pick<Code, 'code' | 'language'>[]
}

export function surveyedFacts({ html, ...facts }: Rendered): SurveyedFacts {
  const code = html.flatMap((part) => (typeof part === 'string' ? [] : [{ code: part.code, language: part.language }]))
  return { facts: packFacts(facts), code }
}

function packFacts(facts: DocumentFacts): PackedFacts {
  const { links, pictures, headings, openComments, problems, warnings, passages } = facts
  const checked: CheckedFacts = { links, pictures, openComments, problems, warnings }
  return {
    checked: JSON.stringify(checked),
    headingIds: JSON.stringify([...headings.keys()]),
    passages: packPassages(passages),
  }
}

/** The facts about a document that cannot be rendered. */
export function unrenderable(): ExaminedFacts {
  const problems = [{ line: 1, problem: 'cannot be rendered' }]
  return { links: [], pictures: [], headings: new Set(), openComments: [], problems, warnings: [] }
}

export function unpackFacts({ checked }: PackedFacts): CheckedFacts {
  return JSON.parse(checked)
}

export function unpackHeadingIds({ headingIds }: PackedFacts): HeadingIds {
  return new Set(JSON.parse(headingIds))
}

export function unpackExamined(facts: PackedFacts): ExaminedFacts {
  return { ...unpackFacts(facts), headings: unpackHeadingIds(facts) }
}
