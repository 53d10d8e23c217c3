import { type ErrorCode, isDescribed } from '../content/content-routes.ts'
import { negotiate, type Variant } from '../http/negotiate.ts'
import type { Refusal } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { html } from './html.ts'
import { type Frame, layout } from './layout.ts'
import { refusalWords } from './refusal-words.ts'
import { readerOf, type Visitor } from './visitor.ts'

interface Problem {
  status: number
  code: ErrorCode
  title: string
  message: string
  hint: string
  headers?: Record<string, string>
}

export const NOT_FOUND: Problem = {
  status: 404,
  code: 'not_found',
  title: 'Not found',
  message: 'There is nothing at this address',
  hint: 'All pages are listed in /sitemap.xml, and for agents in /llms.txt.',
}

export const SEARCH_NOT_READY: Problem = {
  status: 503,
  code: 'unavailable',
  title: 'Not ready yet',
  message: 'The search is being prepared',
  hint: 'Please try again in a few seconds.',
  headers: { 'Retry-After': '5' },
}

export function problemOf({ id }: Request, refusal: Refusal): Problem {
  const { status, headers, errors } = refusal
  const isServerError = status >= 500
  return {
    status,
    code: isServerError ? 'server_error' : 'refused',
    title: isServerError ? 'Something went wrong' : 'That did not work',
    message:
      status === 413
        ? 'What you sent is too large: a picture may have 5 MB at most'
        : (errors?.[0]?.message ?? refusalWords(refusal)),
    hint: isServerError
      ? `Please try again in a moment. If it stays like this, tell the owner of the site: ${id}.`
      : '',
    headers,
  }
}

/** Sends an error as HTML, markdown or JSON, by content negotiation. */
export function sendProblem(
  request: Request,
  reply: Reply,
  frame: Frame,
  { status, code, title, message, hint, headers = {} }: Problem,
  visitor: Visitor | undefined,
): Reply {
  reply
    .vary('Accept')
    .code(status)
    .headers({ ...headers, 'Cache-Control': 'no-store' })
  switch (variantOfProblem(request)) {
    case 'json':
      return reply.send({ error: { code, message, hint } })
    case 'markdown':
      return reply.type('text/markdown; charset=utf-8').send(`# ${title}\n\n${message}. ${hint}\n`)
    default:
      return reply.type('text/html; charset=utf-8').send(
        layout(
          frame,
          {
            title,
            description: message,
            path: '/404',
            isIndexed: false,
            main: html`<div class="fault">
<p class="badge">Error ${status}</p>
<h1>${title}</h1>
<p class="lead">${message}.</p>
${status >= 500 && html`<p>${hint}</p>`}
<p class="actions"><a class="button" href="/">Go to the home page</a> ${status === 404 ? html`<a class="button quiet" href="/blog">Read the blog</a>` : visitor ? html`<a class="button quiet" href="/account">Go to your account</a>` : html`<a class="button quiet" href="/log-in">Log in</a>`}</p>
</div>`,
          },
          visitor && readerOf(visitor),
        ),
      )
  }
}

/**
 * Errors of the content API are JSON, as its OpenAPI document says. For a path in `.md`, HTML must be named in
 * `Accept`.
 */
function variantOfProblem({ path, url, headers: { accept = '' } }: Request): Variant {
  if (isDescribed(path)) return 'json'
  const variant = negotiate(accept, ['html', 'markdown', 'json'])
  const isMarkdown = /\.md(\?|$)/.test(url) && !accept.includes('text/html')
  return variant === 'html' && isMarkdown ? 'markdown' : variant
}

/** Status 405 with `Allow` (RFC 9110, section 15.5.6). */
export function sendMethodNotAllowed(reply: Reply): Reply {
  return reply
    .code(405)
    .headers({ Allow: 'GET, HEAD', 'Cache-Control': 'no-store' })
    .send({ error: { code: 'method_not_allowed', message: 'This address can only be read' } })
}
