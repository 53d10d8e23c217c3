import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Form, negotiate } from '../http/negotiate.ts'
import { addVary } from '../http/representation.ts'
import { html } from './html.ts'
import { type Frame, layout } from './layout.ts'

const MESSAGE = 'There is nothing at this address'
const HINT = 'All pages are listed in /sitemap.xml, and for agents in /llms.txt.'

/** What is not there, said in the form that was asked for. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply, frame: Frame): FastifyReply {
  addVary(reply, 'Accept')
  reply.code(404).header('Cache-Control', 'no-store')
  switch (formFor(request)) {
    case 'json':
      return reply.send({ error: { code: 'not_found', message: MESSAGE, hint: HINT } })
    case 'markdown':
      return reply.type('text/markdown; charset=utf-8').send(`# Not found\n\n${MESSAGE}. ${HINT}\n`)
    default:
      return reply.type('text/html; charset=utf-8').send(
        layout(frame, {
          title: 'Not found',
          description: MESSAGE,
          path: '/404',
          isIndexed: false,
          main: html`<h1>Not found</h1>
<p class="lead">${MESSAGE}.</p>
<p><a href="/">Back to the start</a>, or <a href="/blog">to the blog</a>.</p>`,
        }),
      )
  }
}

/** Where markdown is expected, only who names HTML gets it. */
function formFor({ url, headers: { accept = '' } }: FastifyRequest): Form {
  const form = negotiate(accept, ['html', 'markdown', 'json'])
  const isMarkdown = /\.md(\?|$)/.test(url) && !accept.includes('text/html')
  return form === 'html' && isMarkdown ? 'markdown' : form
}

/** A page can only be read. */
export function sendMethodNotAllowed(reply: FastifyReply): FastifyReply {
  return reply
    .code(405)
    .headers({ Allow: 'GET, HEAD', 'Cache-Control': 'no-store' })
    .send({ error: { code: 'method_not_allowed', message: 'This address can only be read' } })
}
