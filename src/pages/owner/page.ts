import type { OwnerOperation } from '../../owner/owner-operation.ts'
import type { FormState } from '../account/form-state.ts'
import type { Done, MemberVisit, Shown, Submission } from '../account/page.ts'
import type { Html } from '../html.ts'

/** The `data` of an operation for owners. */
export type DataOf<Make extends (parts: never) => OwnerOperation<never, never, unknown>> =
  ReturnType<Make> extends OwnerOperation<never, never, infer Data> ? Data : never

/** The content of a page, read once for a request. */
interface DeskView {
  title: string
  main(formState: FormState): Html
  /** The same for agents, without the forms. */
  markdown(): string
}

/** A page of the owner's desk. It exists for owners only. */
export interface DeskPage {
  path: string
  /** The path of the tab that the page belongs to. */
  tab: string
  /** The purpose, in one sentence. */
  description: string
  /** The operations of the API with the same effect. */
  calls: string[]
  /** Modules of `pages/web` for progressive enhancement. */
  scripts: string[]
  /** Asks for a recent proof before the form is filled in, which would be lost otherwise. */
  needsProof?: true
  read(visit: MemberVisit): Promise<DeskView>
  forms?: DeskForms
}

/** The handlers of the forms of a page, by name. */
export type DeskForms = Record<string, (visit: MemberVisit, submission: Submission) => Promise<Done | Shown>>
