import type { Cookie } from '../../http/cookies.ts'
import type { Refusal } from '../../http/refusal.ts'
import type { Request } from '../../http/request.ts'
import { secondFactorPagePath } from '../../proofs/sign-in.ts'
import { CONFIRM_PATH, WITH_SECOND_FACTOR } from './confirm.ts'
import { returnPath } from './log-in.ts'
import type { Done } from './page.ts'

/**
 * Redirects to the log-in page. Does not clear the cookie of an ended session: the request may be a concurrent one
 * with the cookie from before a renewal, and clearing would remove the renewed cookie.
 */
export function logInRedirect({ method, url, path: page }: Request): Done {
  const path = method === 'GET' ? url : page
  return {
    to: `/log-in?${new URLSearchParams({ return_to: path })}`,
    ...(method === 'POST' && { notice: 'session-over' as const }),
  }
}

/** Redirects to the page that asks for a proof of identity. The visitor then makes the change again. */
export function confirmRedirect(returnTo: string): Done {
  return { to: `${CONFIRM_PATH}?${new URLSearchParams({ return_to: returnTo })}` }
}

/** The same for a page that needs the passkey or the authenticator app of the account. */
export function secondFactorRedirect(returnTo: string): Done {
  return { to: `${CONFIRM_PATH}?${new URLSearchParams({ return_to: returnTo, with: WITH_SECOND_FACTOR })}` }
}

/** Redirects to the second step of a sign-in, with the challenge of the first one in a cookie. */
export function secondStepRedirect({ data }: Refusal, returnTo: string | undefined, cookie: Cookie): Done {
  return { to: secondFactorPagePath(returnPath(returnTo)), cookies: [cookie.set(data?.challenge ?? '')] }
}
