import type { Env as AnyEnv, StateInline } from 'markdown-it'
import type { SourceNotes } from '../source-notes.ts'

/** A mistake in the markup of a document that is published nevertheless. */
export interface Problem {
  /** The line number in the markdown, from 1. */
  line: number
  problem: string
}

/** The state that the rules of markdown-it share while one document is rendered. */
export interface Env extends AnyEnv {
  notes: SourceNotes
  problems: Problem[]
  /** The length of all formulas that were converted. */
  texCharacters: number
}

export function envOf({ env }: Pick<StateInline, 'env'>): Env {
  return env as Env
}
