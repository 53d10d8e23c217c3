import type { Code } from './code-block.ts'
import type { DocumentFacts, Rendered } from './markdown.ts'
import { packPassages } from './search/passages.ts'

/** The facts that the checks of a document need. */
export type CheckedFacts = Omit<DocumentFacts, 'passages'>

/**
 * The facts about a document as texts in JSON. Those of all documents are kept: as objects, they would make each garbage
 * collection of a large site longer.
 */
export interface PackedFacts {
  checked: string
  passages: string
}

/** What the survey of the site reads from a document. */
export interface SurveyedFacts {
  facts: PackedFacts
  code: Pick<Code, 'code' | 'language'>[]
}

export function surveyedFacts({ html, ...facts }: Rendered): SurveyedFacts {
  const code = html.flatMap((part) => (typeof part === 'string' ? [] : [{ code: part.code, language: part.language }]))
  return { facts: packFacts(facts), code }
}

function packFacts({ links, pictures, headings, openComments, problems, passages }: DocumentFacts): PackedFacts {
  const checked = { links, pictures, headings: [...headings], openComments, problems }
  return { checked: JSON.stringify(checked), passages: packPassages(passages) }
}

/** The facts about a document that cannot be rendered. */
export function unrenderable(): CheckedFacts {
  const problems = [{ line: 1, problem: 'cannot be rendered' }]
  return { links: [], pictures: [], headings: new Map(), openComments: [], problems }
}

export function unpackFacts({ checked }: PackedFacts): CheckedFacts {
  const { headings, ...facts } = JSON.parse(checked)
  return { ...facts, headings: new Map(headings) }
}
