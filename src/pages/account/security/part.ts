import type { Html } from '../../html.ts'
import type { FormState } from '../form-state.ts'
import type { MemberPage, MemberVisit } from '../page.ts'

export const SECURITY_PATH = '/account/security'
/** The page with the form for the password unfolded. */
export const PASSWORD_FORM_PATH = `${SECURITY_PATH}?open=password`

/** One card of the security page. The names of the forms are unique within the page. */
export interface SecurityPart {
  /** The operations of the API with the same effect. */
  calls: string[]
  scripts?: string[]
  /** Undefined when there is nothing to show. */
  main(visit: MemberVisit, formState: FormState): Promise<Html | undefined>
  forms?: MemberPage['forms']
}
