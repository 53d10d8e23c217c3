import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BODY_LIMIT, parseForm } from '../../http/body.ts'
import { Cookie } from '../../http/cookies.ts'
import { acceptFiles } from '../../http/multipart.ts'
import { negotiate } from '../../http/negotiate.ts'
import type { Caller, Operation } from '../../http/operation.ts'
import { invalid, Refusal, unauthenticated } from '../../http/refusal.ts'
import { addVary } from '../../http/representation.ts'
import { html } from '../html.ts'
import { layout, markdownPath } from '../layout.ts'
import type { Site } from '../site.ts'
import { createFindVisitor, readerOf, type Visitor } from '../visitor.ts'
import { deletePage } from './delete.ts'
import { Entry } from './entry.ts'
import { forgotPasswordPage } from './forgot-password.ts'
import { logInPage, returnPath } from './log-in.ts'
import { pageInMarkdown } from './markdown.ts'
import { noticeOf } from './notices.ts'
import type { AccountPage, Done, MemberVisit, Submission, Visit } from './page.ts'
import type { AccountPageParts } from './parts.ts'
import { profilePage } from './profile.ts'
import { resetPasswordPage } from './reset-password.ts'
import { requireSameOrigin } from './same-origin.ts'
import { serveScripts } from './scripts.ts'
import { securityPage } from './security.ts'
import { signUpPage } from './sign-up.ts'
import { usernamePage } from './username.ts'
import { verifyEmailPage } from './verify-email.ts'

const accountPages = (parts: AccountPageParts): AccountPage[] => [
  signUpPage(parts),
  verifyEmailPage(parts),
  logInPage(parts),
  forgotPasswordPage(),
  resetPasswordPage(parts),
  profilePage(),
  usernamePage(),
  securityPage(parts),
  deletePage(parts),
]

const FORM = 'application/x-www-form-urlencoded'

const MEMBER_LINKS = {
  '/account': 'Profile',
  '/account/username': 'Username',
  '/account/security': 'Security',
  '/account/delete': 'Delete',
}

/**
 * Everything the account API does, for people. The pages show and ask; what is done is done by the operations of the
 * API, so that each rule exists once.
 */
export async function serveAccountPages(
  app: FastifyInstance,
  parts: AccountPageParts,
  operations: Map<string, Operation>,
  site: Site,
): Promise<void> {
  const { config, limits, addressOf, browserSession } = parts
  const findVisitor = createFindVisitor(parts)
  const noticeCookie = new Cookie('portico_notice', { seconds: 60, https: config.baseUrl.startsWith('https:') })
  const admitted = new WeakMap<FastifyRequest, Visit>()
  const policy = `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' https: blob: ${new URL(config.uploadUrl).origin}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

  await app.register(async (scope) => {
    const addressOfScript = serveScripts(scope)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      FORM,
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
      async (_request: FastifyRequest, raw: Buffer) => parseForm(raw),
    )
    for (const page of accountPages(parts)) {
      const markdown = pageInMarkdown(page, operations, config.baseUrl)
      scope.get(page.path, async (request, reply) => {
        addVary(reply, 'Accept')
        addVary(reply, 'Cookie')
        reply.header('Link', `<${config.baseUrl}${markdownPath(page.path)}>; rel="alternate"; type="text/markdown"`)
        const isForPeople = negotiate(request.headers.accept, ['html', 'markdown']) === 'html'
        return isForPeople ? show(page, await visitOf(request), new Entry(), reply) : sendMarkdown(reply, markdown)
      })
      scope.get(markdownPath(page.path), async (_request, reply) => sendMarkdown(reply, markdown))
      // Files are large: only where they belong, and only from those who are signed in, are they read.
      await scope.register(async (own) => {
        if (page.takesFiles) acceptFiles(own)
        own.post(page.path, {
          config: { bodyType: FORM },
          onRequest: (request, reply) => admit(page, request, reply),
          handler: (request, reply) => submit(page, request, reply),
        })
      })
    }
    scope.get('/account/username/check', async (request, reply) => {
      const { visitor, perform, query } = await visitOf(request)
      if (!visitor) throw unauthenticated()
      await count(request, visitor)
      reply.header('Cache-Control', 'no-store')
      return perform('GET /api/change-username', { username: query.get('username') ?? '' })
    })
    scope.post('/log-out', async (request, reply) => {
      requireSameOrigin(request, config.baseUrl)
      const { visitor, perform } = await visitOf(request)
      if (visitor) await perform('POST /api/auth/logout')
      return leave(reply, { to: '/log-in', notice: 'logged-out', cookies: [browserSession.clear()] })
    })
    // Where password managers send people: https://w3c.github.io/webappsec-change-password-url/
    scope.get('/.well-known/change-password', async (_request, reply) =>
      reply.redirect('/account/security#password', 302),
    )

    async function show(page: AccountPage, visit: Visit, entry: Entry, reply: FastifyReply) {
      const { visitor, request, query } = visit
      if (page.access === 'members' && !visitor) return leave(reply, toLogIn(request))
      if (page.access === 'guests' && visitor) return leave(reply, { to: returnPath(query.get('return_to')) })
      const carried = noticeCookie.read(request)
      const notice = noticeOf(carried)
      const main = html`${page.access === 'members' && memberLinks(page.path)}
<h1>${page.title}</h1>
${entry.problem() ?? (notice && html`<p class="notice" role="status">${notice}</p>`)}
${await page.main(visit as MemberVisit, entry)}`
      const text = layout(
        site.frame(),
        { ...page, main, isIndexed: false, scripts: page.scripts?.map(addressOfScript) ?? [] },
        visitor && readerOf(visitor),
      )
      return reply
        .headers({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policy })
        .header('Set-Cookie', [...(visitor?.cookies ?? []), ...(carried === undefined ? [] : [noticeCookie.clear()])])
        .type('text/html; charset=utf-8')
        .send(text)
    }

    /** Before anything of a form is read: whether it comes from here, from whom, and how many of them. */
    async function admit(page: AccountPage, request: FastifyRequest, reply: FastifyReply) {
      requireSameOrigin(request, config.baseUrl)
      const visit = await visitOf(request)
      await count(request, visit.visitor)
      if (page.access === 'members' && !visit.visitor) return leave(reply, toLogIn(request))
      admitted.set(request, visit)
    }

    async function submit(page: AccountPage, request: FastifyRequest, reply: FastifyReply) {
      const visit = admitted.get(request) as Visit
      const { visitor } = visit
      const { form = '', ...submission } = submissionOf(request.body)
      const act = Object.hasOwn(page.forms, form) ? page.forms[form] : undefined
      if (!act) throw invalid('form', 'This page has no such form')
      try {
        const done = await act(visit as MemberVisit, submission)
        return leave(reply, { ...done, cookies: [...(visitor?.cookies ?? []), ...(done.cookies ?? [])] })
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500) throw error
        if (page.access === 'members' && error.status === 401) return leave(reply, toLogIn(request))
        reply.code(error.status).headers(error.headers)
        return show(page, visit, new Entry(form, submission.fields, error), reply)
      }
    }
  })

  /** As the API counts its calls. */
  async function count(request: FastifyRequest, visitor: Visitor | undefined): Promise<void> {
    if (visitor) await limits.take('api', 'session', visitor.caller.sessionId)
    else await limits.take('api', 'address', addressOf(request))
  }

  async function visitOf(request: FastifyRequest): Promise<Visit> {
    const visitor = await findVisitor(request)
    return {
      request,
      query: new URL(request.url, config.baseUrl).searchParams,
      visitor,
      async perform<Data>(call: string, input: object = {}) {
        const operation = operations.get(call)
        if (!operation) throw new Error(`the API has no call ${call}`)
        const values = { ...input }
        const isRead = call.startsWith('GET ')
        check(request, isRead ? 'querystring' : 'body', isRead ? operation.query : operation.body, values)
        if (operation.access === 'signed-in' && !visitor) throw unauthenticated()
        const caller = visitor?.caller as Caller
        const answer = await operation.handle({ body: values, query: values, request, caller })
        return ('data' in answer ? answer.data : undefined) as Data
      },
    }
  }

  /** See Other: whoever goes back or loads the page again does not send the form again. */
  function leave(reply: FastifyReply, { to, notice, cookies = [] }: Done): FastifyReply {
    return reply
      .header('Cache-Control', 'no-store')
      .header('Set-Cookie', [...cookies, ...(notice ? [noticeCookie.set(notice)] : [])])
      .redirect(to, 303)
  }

  /** The cookie, if there is one, is of a session that is over. */
  function toLogIn({ method, url, routeOptions }: FastifyRequest): Done {
    const path = method === 'GET' ? url : (routeOptions.url ?? '/account')
    return {
      to: `/log-in?${new URLSearchParams({ return_to: path })}`,
      cookies: [browserSession.clear()],
      ...(method === 'POST' && { notice: 'session-over' as const }),
    }
  }
}

/** What a request of the API goes through before its operation sees it; values are put into their stored form. */
function check(request: FastifyRequest, part: 'body' | 'querystring', schema: Operation['body'], values: object): void {
  const outcome = schema && request.compileValidationSchema(schema, part)(values)
  if (outcome && typeof outcome === 'object') throw (outcome as unknown as { error: Refusal }).error
}

function submissionOf(body: unknown): Submission & { form: string | undefined } {
  const posted = Object.entries((body ?? {}) as Record<string, string | Uint8Array>)
  const fields = Object.fromEntries(
    posted.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
  const file = posted.find(([name, value]) => name === 'file' && typeof value !== 'string')?.[1] as
    | Uint8Array
    | undefined
  return { form: fields.form, fields, file }
}

function sendMarkdown(reply: FastifyReply, markdown: string): FastifyReply {
  return reply.header('Cache-Control', 'no-store').type('text/markdown; charset=utf-8').send(markdown)
}

function memberLinks(path: string) {
  return html`<nav class="parts" aria-label="Account">${Object.entries(MEMBER_LINKS).map(
    ([to, title]) => html`<a href="${to}"${to === path && html` aria-current="page"`}>${title}</a> `,
  )}</nav>`
}
