import type { FormState } from '../../account/form-state.ts'
import { type Html, html } from '../../html.ts'
import { AUDIT_PATH } from '../audit.ts'
import { addressWith } from '../pager.ts'
import type { DeskParts } from '../parts.ts'
import type { ActionContext, PersonAction } from './action.ts'
import { buttonAction } from './button-action.ts'
import { deletePersonAction } from './delete.ts'
import { renameAction } from './rename.ts'
import { roleAction } from './role.ts'
import { suspendAction } from './suspend.ts'

/** These actions are not for the owner's own account, nor for an account whose address is not verified. */
const isOtherAndVerified = ({ person, isSelf }: ActionContext) => person.isVerified && !isSelf

/** The actions in the order of the page. Those that delete data are last. */
export const personActions = (parts: DeskParts): PersonAction[] => [
  buttonAction({
    form: 'lift',
    call: 'POST /api/owner/person/lift-suspension',
    title: 'Lift the suspension',
    effect: 'The person can sign in again at once.',
    notice: 'suspension-lifted',
    appliesTo: ({ isSuspended }) => isSuspended,
  }),
  buttonAction({
    form: 'verify',
    call: 'POST /api/owner/person/verify',
    title: 'Verify the address',
    effect:
      'For a person whose mail does not arrive. Be sure that the address is theirs: the person who signed up with it can then log in.',
    notice: 'person-verified',
    appliesTo: ({ person }) => !person.isVerified,
  }),
  buttonAction({
    form: 'reset-mail',
    call: 'POST /api/owner/person/reset-mail',
    title: 'Mail a password reset',
    effect: 'The person gets a mail with a code and a link to choose a new password. Nothing else changes.',
    notice: 'reset-mailed',
    appliesTo: isOtherAndVerified,
  }),
  buttonAction({
    form: 'end-sessions',
    call: 'POST /api/owner/person/end-sessions',
    title: 'Sign out everywhere',
    effect: 'All sessions end, and remembered browsers are forgotten. The person can sign in again.',
    notice: 'person-signed-out',
    appliesTo: (context) => isOtherAndVerified(context) && context.sessions.length > 0,
  }),
  renameAction(),
  buttonAction({
    form: 'reset-factors',
    call: 'POST /api/owner/person/reset-factors',
    title: 'Remove second factors and passkeys',
    effect:
      'For a person who has lost them. Authenticator app, passkeys, recovery codes and sessions are removed, and the person gets a mail. Password and providers stay.',
    notice: 'factors-reset',
    appliesTo: (context) => isOtherAndVerified(context) && hasFactors(context),
  }),
  suspendAction(parts),
  roleAction(),
  deletePersonAction(),
]

function hasFactors({ person, waysToSignIn }: ActionContext): boolean {
  return person.hasSecondFactor || waysToSignIn.some((name) => name === 'passkey' || name === 'authenticator-app')
}

export function actionsCard(actions: PersonAction[], context: ActionContext, formState: FormState): Html {
  return html`<section class="card person-actions" aria-labelledby="actions">
<h2 id="actions">Actions</h2>
${context.isSelf && html`<p>This is you. <a href="/account/security">Your account</a> has what is missing here.</p>`}
${!context.person.isVerified && html`<p>Nobody has verified this address, so anybody may have registered it.</p>`}
${actions.map(({ view }) => view(context, formState))}
<p class="meta"><a href="${addressWith(AUDIT_PATH, { userId: context.person.userId })}">What owners did with this person</a></p>
</section>`
}
