import type { Reply } from '../../http/reply.ts'
import type { Request } from '../../http/request.ts'
import { notice } from '../components.ts'
import type { Html } from '../html.ts'
import { html } from '../html.ts'
import { type Frame, layout, type PageContent } from '../layout.ts'
import { readerOf } from '../visitor.ts'
import type { FormState } from './form-state.ts'
import { noticeOf } from './notices.ts'
import type { AccountPage, Done, Download, Visit } from './page.ts'
import { type Message, singleColumnMain } from './page-main.ts'
import type { AccountPageParts } from './parts.ts'

/** Returns the functions that send the responses of pages with forms. `frame` returns the current frame of the site. */
export function createPageReplies(
  { config, noticeCookie }: Pick<AccountPageParts, 'config' | 'noticeCookie'>,
  frame: () => Promise<Frame>,
) {
  const policy = createPolicy(new URL(config.uploadUrl).origin)

  return {
    /** The message at the top of a page: the error of the form, or the result of the form before. */
    messageFor(request: Request, formState: FormState): Message {
      const words = noticeOf(noticeCookie.read(request))
      return formState.problem() ?? (words && notice('good', words))
    },

    async sendPage(
      reply: Reply,
      { visitor, request, cookies }: Visit,
      page: PageContent & Pick<AccountPage, 'showsAvatar'>,
      furtherCookies: string[] = [],
    ): Promise<Reply> {
      const text = layout(await frame(), { styles: 'account', ...page, isIndexed: false }, visitor && readerOf(visitor))
      return (
        reply
          // `strict-origin`, since the query may contain the token of a mailed link. With `no-referrer`, browsers would
          // send forms with `Origin: null`.
          .headers({
            'Cache-Control': 'no-store',
            'Content-Security-Policy': policy(page.showsAvatar ? visitor?.user.avatar : undefined),
            'Referrer-Policy': 'strict-origin',
          })
          .header('Set-Cookie', [
            ...cookies,
            ...(noticeCookie.read(request) === undefined ? [] : [noticeCookie.clear()]),
            ...furtherCookies,
          ])
          .type('text/html; charset=utf-8')
          .send(text)
      )
    },

    /** Redirects with 303 See Other, so that reloading the next page does not submit the form again. */
    redirect(reply: Reply, { to, notice, cookies = [] }: Done): Reply {
      return reply
        .header('Cache-Control', 'no-store')
        .header('Set-Cookie', [...cookies, ...(notice ? [noticeCookie.set(notice)] : [])])
        .redirect(to, 303)
    },

    /**
     * Redirects to another site with a `Refresh` header instead of a 303. Browsers apply the `form-action` of the page
     * with the form to redirects after its submission too (CSP 3, section 6.4.1), and that policy allows only this
     * site.
     */
    async redirectToOtherSite(reply: Reply, page: AccountPage, { to, cookies = [] }: Done): Promise<Reply> {
      const link: Html = html`<div class="card"><a class="button" href="${to}">Continue to ${new URL(to).host}</a></div>`
      const main = singleColumnMain(page, undefined, link)
      return reply
        .headers({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policy(), Refresh: `0; url=${to}` })
        .header('Set-Cookie', cookies)
        .type('text/html; charset=utf-8')
        .send(layout(await frame(), { styles: 'account', ...page, main, isIndexed: false, scripts: [] }))
    },
  }
}

/**
 * Returns a function for the policy of a page, which may show a picture of another site. Pictures of all sites are not
 * allowed: a selector of the author's own style sheet, such as `[value^="a"]`, could send the values of fields, such as
 * the token of a mailed link, as the address of a picture.
 */
function createPolicy(uploads: string): (avatar?: string | null) => string {
  return (avatar) =>
    `default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' blob: ${uploads}${originOf(avatar)}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
}

/** Hosts may contain commas and semicolons, which would end the directive. Such a picture is not shown. */
function originOf(avatar: string | null | undefined): string {
  const origin = avatar ? URL.parse(avatar)?.origin : undefined
  return origin && /^https:\/\/[\w.:-]+$/.test(origin) ? ` ${origin}` : ''
}

/** Sends a file that browsers save and do not show. Its name has characters of a token (RFC 6266, section 4.1). */
export function sendFile(reply: Reply, { file: { name, type, content } }: Download, cookies: string[]): Reply {
  return reply
    .headers({ 'Cache-Control': 'no-store', 'Content-Disposition': `attachment; filename="${name}"` })
    .header('Set-Cookie', cookies)
    .type(type)
    .send(content)
}

export function sendMarkdown(reply: Reply, markdown: string): Reply {
  return reply.header('Cache-Control', 'no-store').type('text/markdown; charset=utf-8').send(markdown)
}
