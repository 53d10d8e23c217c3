import type { FormState } from '../../account/form-state.ts'
import type { MemberVisit } from '../../account/page.ts'
import type { Html } from '../../html.ts'
import type { DeskForms } from '../page.ts'
import type { PersonDetails } from './details.ts'

/** The person of a page, as the owner who opened it sees them. */
export interface ActionContext extends PersonDetails {
  isSuspended: boolean
  /** Whether the owner looks at their own account. */
  isSelf: boolean
}

/** Something that an owner can do with a person. The names of the forms are unique within the page. */
export interface PersonAction {
  /** The operation of the API with the same effect. */
  call: string
  /** Undefined when the action does not apply to this person. */
  view(context: ActionContext, formState: FormState): Html | undefined
  forms: DeskForms
}

/** The id of the person that the page is about. The operations check it. */
export function personIdIn({ query }: MemberVisit): string {
  return query.get('userId') ?? ''
}
