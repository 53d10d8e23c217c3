import { formParser, mediaTypeOf } from '../../http/body.ts'
import { multipartParser } from '../../http/multipart.ts'
import { negotiate } from '../../http/negotiate.ts'
import type { Operation } from '../../http/operation.ts'
import { countRequest } from '../../http/rate-limit.ts'
import { invalid, Refusal } from '../../http/refusal.ts'
import type { Reply } from '../../http/reply.ts'
import type { Request } from '../../http/request.ts'
import type { Routes } from '../../http/routes.ts'
import type { Validation } from '../../http/validation.ts'
import { reauthenticationRequired } from '../../proofs/recent-proof.ts'
import { secondFactorRequired } from '../../proofs/sign-in.ts'
import type { Html } from '../html.ts'
import { type Frame, markdownPath } from '../layout.ts'
import { scriptPath } from '../scripts.ts'
import { createFindVisitor } from '../visitor.ts'
import { accountPages } from './account-pages.ts'
import { FormState } from './form-state.ts'
import { returnPath } from './log-in.ts'
import { describeInMarkdown } from './markdown.ts'
import type { AccountPage, MemberVisit, Visit } from './page.ts'
import { type Message, pageMain } from './page-main.ts'
import { createPageReplies, sendFile, sendMarkdown } from './page-replies.ts'
import type { AccountPageParts } from './parts.ts'
import { servePasskeyEndpoints } from './passkey-endpoints.ts'
import { createPasskeyOffer, PASSKEY_OFFER_SCRIPT } from './passkey-offer.ts'
import { confirmRedirect, logInRedirect, secondStepRedirect } from './redirects.ts'
import { requireSameOrigin } from './same-origin.ts'
import { serveScriptCalls } from './script-calls.ts'
import { PASSWORD_FORM_PATH } from './security/part.ts'
import { submissionOf } from './submission.ts'
import { createVisitOf } from './visits.ts'

interface RefusedForm {
  /** Empty if the body was not read. */
  name: string
  fields: Record<string, string>
}

interface ServeOptions {
  /** The operations of the API, by method and path. */
  operations: Map<string, Operation>
  validation: Validation
  /** The current frame of the site's pages. */
  frame(): Promise<Frame>
}

/**
 * Serves the account API as HTML pages. The handlers of the forms call the operations of the API, so each rule is
 * implemented once.
 */
export function serveAccountPages(
  app: Routes,
  parts: AccountPageParts,
  { operations, validation, frame }: ServeOptions,
): void {
  const { config, browserSession, secondFactorCookie } = parts
  const passkeyOffer = createPasskeyOffer(config)
  const visitOf = createVisitOf({ operations, validation, findVisitor: createFindVisitor(parts) })
  const admitted = new WeakMap<Request, Visit>()
  const { messageFor, sendPage, redirect, redirectToOtherSite } = createPageReplies(parts, frame)

  for (const page of accountPages(parts)) {
    const markdown = describeInMarkdown(page, operations, config.baseUrl)
    app.get(page.path, async (request, reply) => {
      reply.vary('Accept').vary('Cookie')
      reply.header('link', `<${config.baseUrl}${markdownPath(page.path)}>; rel="alternate"; type="text/markdown"`)
      const isForPeople = negotiate(request.headers.accept, ['html', 'markdown']) === 'html'
      return isForPeople ? show(page, await visitOf(request), new FormState(), reply) : sendMarkdown(reply, markdown)
    })
    app.get(markdownPath(page.path), async (_request, reply) => sendMarkdown(reply, markdown))
    // Multipart bodies are parsed only on pages that take files. The guard runs before the body is read.
    app.route({
      method: 'POST',
      path: page.path,
      bodyParsers: page.fileCall ? [formParser, multipartParser] : [formParser],
      guard: (request, reply) => guard(page, request, reply),
      handle: (request, reply) => submit(page, request, reply),
    })
  }
  serveScriptCalls(app, {
    baseUrl: config.baseUrl,
    visitOf,
    count: async (request, caller) => countRequest(request, caller, parts),
  })
  app.route({
    method: 'POST',
    path: '/log-out',
    bodyParsers: [formParser],
    async handle(request, reply) {
      requireSameOrigin(request, config.baseUrl)
      const { visitor, perform } = await visitOf(request)
      if (visitor) await perform('POST /api/auth/logout')
      return redirect(reply, { to: '/log-in', notice: 'logged-out', cookies: [browserSession.clear()] })
    },
  })
  app.get('/account/delete', async (_request, reply) => reply.redirect('/account/data', 308))
  // The well-known URL that password managers open: https://w3c.github.io/webappsec-change-password-url/
  app.get('/.well-known/change-password', async (_request, reply) =>
    reply.redirect(`${PASSWORD_FORM_PATH}#password`, 302),
  )
  servePasskeyEndpoints(app, parts)

  async function show(page: AccountPage, visit: Visit, formState: FormState, reply: Reply) {
    const { visitor, request, query } = visit
    if (page.access === 'members' && !visitor) return redirect(reply, logInRedirect(request))
    if (page.access === 'guests' && visitor) return redirect(reply, { to: returnPath(query.get('return_to')) })
    const content = await page.main(visit as MemberVisit, formState)
    return send(page, visit, messageFor(request, formState), content, reply)
  }

  function send(page: AccountPage, visit: Visit, message: Message, content: Html, reply: Reply) {
    const main = pageMain(page, message, content)
    const isPasskeyOffered = page.access === 'members' && passkeyOffer.read(visit.request) !== undefined
    const scripts = [...(page.scripts ?? []), ...(isPasskeyOffered ? [PASSKEY_OFFER_SCRIPT] : [])]
    const shown = { ...page, main, scripts: scripts.map(scriptPath) }
    return sendPage(reply, visit, shown, isPasskeyOffered ? [passkeyOffer.clear()] : [])
  }

  /** Runs before the body of a form is read: checks origin, rate limit and access. */
  async function guard(page: AccountPage, request: Request, reply: Reply) {
    requireSameOrigin(request, config.baseUrl)
    const visit = await visitOf(request)
    await countRequest(request, visit.visitor?.caller, parts)
    if (page.access === 'members' && !visit.visitor) return redirect(reply, logInRedirect(request))
    // The limits of large bodies count its account.
    request.caller = visit.visitor?.caller
    admitted.set(request, visit)
    if (page.fileCall && mediaTypeOf(request) === multipartParser.type) {
      try {
        await visit.admit(page.fileCall)
      } catch (error) {
        return refuse(page, visit, { name: '', fields: {} }, error, reply)
      }
    }
    return undefined
  }

  async function submit(page: AccountPage, request: Request, reply: Reply) {
    const visit = admitted.get(request) as Visit
    const { name, ...submission } = submissionOf(request.body)
    const act = Object.hasOwn(page.forms, name) ? page.forms[name] : undefined
    if (!act) throw invalid('form', 'not_allowed', 'This page has no such form')
    try {
      const done = await act(visit as MemberVisit, submission)
      if ('main' in done) return send({ ...page, title: done.title }, visit, undefined, done.main, reply)
      if ('file' in done) return sendFile(reply, done, visit.cookies)
      const cookies = [...visit.cookies, ...(done.cookies ?? [])]
      return done.to.startsWith('/')
        ? redirect(reply, { ...done, cookies })
        : redirectToOtherSite(reply, page, { ...done, cookies })
    } catch (error) {
      return refuse(page, visit, { name, fields: submission.fields }, error, reply)
    }
  }

  /** Shows the page with the refusal of a form, or the step that the refusal asks for. */
  function refuse(page: AccountPage, visit: Visit, { name, fields }: RefusedForm, error: unknown, reply: Reply) {
    const { request } = visit
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    if (error.kind === secondFactorRequired)
      return redirect(reply, secondStepRedirect(error, fields.return_to, secondFactorCookie))
    if (page.access === 'members' && error.status === 401) return redirect(reply, logInRedirect(request))
    if (error.kind === reauthenticationRequired) return redirect(reply, confirmRedirect(request.path))
    reply.code(error.status).headers(error.headers)
    return show(page, visit, new FormState(name, fields, error), reply)
  }
}
