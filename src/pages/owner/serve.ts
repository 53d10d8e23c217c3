import { formParser } from '../../http/body.ts'
import { negotiate } from '../../http/negotiate.ts'
import type { Operation } from '../../http/operation.ts'
import { countRequest } from '../../http/rate-limit.ts'
import { invalid, notFound, Refusal } from '../../http/refusal.ts'
import type { Reply } from '../../http/reply.ts'
import type { Request } from '../../http/request.ts'
import type { Routes } from '../../http/routes.ts'
import type { Validation } from '../../http/validation.ts'
import { printable } from '../../lib/printable.ts'
import { requireOwner } from '../../owner/owner-access.ts'
import { reauthenticationRequired, requireRecentProof } from '../../proofs/recent-proof.ts'
import { FormState } from '../account/form-state.ts'
import { describeCalls } from '../account/markdown.ts'
import type { MemberVisit, Shown } from '../account/page.ts'
import type { Message } from '../account/page-main.ts'
import { createPageReplies, sendMarkdown } from '../account/page-replies.ts'
import { confirmRedirect, secondFactorRedirect } from '../account/redirects.ts'
import { requireSameOrigin } from '../account/same-origin.ts'
import { submissionOf } from '../account/submission.ts'
import { createVisitOf } from '../account/visits.ts'
import { type Frame, markdownPath } from '../layout.ts'
import { scriptPath } from '../scripts.ts'
import { createFindVisitor } from '../visitor.ts'
import { deskMain } from './desk-main.ts'
import { deskPages } from './desk-pages.ts'
import type { DeskForms, DeskPage } from './page.ts'
import type { DeskParts } from './parts.ts'
import { chosenInMarkdown } from './shown-values.ts'

interface ServeOptions {
  /** The operations of the owner's desk, by method and path. */
  operations: Map<string, Operation>
  validation: Validation
  /** The current frame of the site's pages. */
  frame(): Promise<Frame>
}

/**
 * Serves the owner's desk as HTML pages and as markdown. Pages and forms call the operations of the API. To everybody
 * but owners, every path responds as one that does not exist.
 */
export function serveOwnerPages(app: Routes, parts: DeskParts, { operations, validation, frame }: ServeOptions): void {
  const { config, database } = parts
  const visitOf = createVisitOf({ operations, validation, findVisitor: createFindVisitor(parts) })
  const { messageFor, sendPage, redirect } = createPageReplies(parts, frame)
  const admitted = new WeakMap<Request, MemberVisit>()
  const visitIn = (request: Request) => admitted.get(request) as MemberVisit

  for (const page of deskPages(parts)) {
    route('GET', page.path, (request, reply) => read(page, visitIn(request), reply))
    route('GET', markdownPath(page.path), async (request, reply) =>
      sendMarkdown(reply, await markdownOf(page, visitIn(request))),
    )
    const { forms } = page
    if (forms) route('POST', page.path, (request, reply) => submit(page, forms, visitIn(request), reply))
  }

  function route(
    method: 'GET' | 'POST',
    path: string,
    handle: (request: Request, reply: Reply) => Promise<Reply>,
  ): void {
    app.route({ method, path, isHidden: true, bodyParsers: [formParser], guard: admit, handle })
  }

  /** Runs before the body of a form is read. The check of the role is first: it hides that the others exist. */
  async function admit(request: Request, reply: Reply): Promise<Reply | undefined> {
    const visit = await visitOf(request)
    try {
      if (!(await requireOwner(database, visit.visitor?.caller))) throw new Refusal(notFound)
    } catch (error) {
      if (!needsProof(error)) throw error
      return redirect(reply, { ...secondFactorRedirect(request.url), cookies: visit.cookies })
    }
    if (request.method === 'POST') requireSameOrigin(request, config.baseUrl)
    const owner = visit as MemberVisit
    await countRequest(request, owner.visitor.caller, parts)
    admitted.set(request, owner)
  }

  async function read(page: DeskPage, visit: MemberVisit, reply: Reply): Promise<Reply> {
    const { request, query } = visit
    reply.vary('Accept').vary('Cookie')
    const inMarkdown = `${config.baseUrl}${markdownPath(page.path)}${query.size > 0 ? `?${query}` : ''}`
    reply.header('link', `<${inMarkdown}>; rel="alternate"; type="text/markdown"`)
    const isForPeople = negotiate(request.headers.accept, ['html', 'markdown']) === 'html'
    const { cookies } = visit
    if (!isForPeople) return sendMarkdown(reply.header('Set-Cookie', cookies), await markdownOf(page, visit))
    if (page.needsProof && !(await isProven(visit)))
      return redirect(reply, { ...confirmRedirect(request.url), cookies })
    return show(page, visit, new FormState(), reply)
  }

  async function isProven({ visitor }: MemberVisit): Promise<boolean> {
    try {
      await requireRecentProof(database.query, parts, visitor.caller)
      return true
    } catch (error) {
      if (needsProof(error)) return false
      throw error
    }
  }

  async function show(page: DeskPage, visit: MemberVisit, formState: FormState, reply: Reply): Promise<Reply> {
    const { title, main } = await page.read(visit)
    return send(page, visit, { title, main: main(formState) }, messageFor(visit.request, formState), reply)
  }

  function send(page: DeskPage, visit: MemberVisit, { title, main }: Shown, message: Message, reply: Reply) {
    return sendPage(reply, visit, {
      ...page,
      title: printable(title),
      main: deskMain(page, message, main),
      isWide: true,
      styles: 'full',
      scripts: page.scripts.map(scriptPath),
    })
  }

  async function submit(page: DeskPage, forms: DeskForms, visit: MemberVisit, reply: Reply): Promise<Reply> {
    const { request, cookies } = visit
    const { name, ...submission } = submissionOf(request.body)
    const act = Object.hasOwn(forms, name) ? forms[name] : undefined
    if (!act) throw invalid('form', 'not_allowed', 'This page has no such form')
    try {
      const done = await act(visit, submission)
      return 'main' in done ? await send(page, visit, done, undefined, reply) : redirect(reply, { cookies, ...done })
    } catch (error) {
      // `notFound` means that the visitor is no longer an owner.
      if (!(error instanceof Refusal) || error.status >= 500 || error.kind === notFound) throw error
      if (needsProof(error)) return redirect(reply, { ...confirmRedirect(request.url), cookies })
      reply.code(error.status).headers(error.headers)
      return show(page, visit, new FormState(name, submission.fields, error), reply)
    }
  }

  async function markdownOf(page: DeskPage, visit: MemberVisit): Promise<string> {
    const { title, markdown } = await page.read(visit)
    return `# ${chosenInMarkdown(title)}

${markdown()}

Programs do the same with the owner API (described at ${config.baseUrl}/api/owner/openapi.json):

${describeCalls(page.calls, operations)}
`
  }
}

function needsProof(error: unknown): boolean {
  return error instanceof Refusal && error.kind === reauthenticationRequired
}
