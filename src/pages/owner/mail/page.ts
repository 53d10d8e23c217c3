import type { listMails } from '../../../owner/list-mails.ts'
import type { FormState } from '../../account/form-state.ts'
import { type Html, html } from '../../html.ts'
import { markdownPath } from '../../layout.ts'
import { format } from '../activity.ts'
import type { DataOf, DeskPage } from '../page.ts'
import { addressWith, pager } from '../pager.ts'
import { MAIL_CALLS, MAIL_PATH, mailForms } from './forms.ts'
import { mailInMarkdown, mailTable } from './table.ts'

const CALL = 'GET /api/owner/mails'
const PARAMETERS = ['state', 'limit', 'after']
const STATES = { failed: 'Failed', waiting: 'Waiting' }

type Mails = DataOf<typeof listMails>
type Asked = Partial<Record<'state' | 'limit' | 'after', string>>

export function mailPage(): DeskPage {
  return {
    path: MAIL_PATH,
    tab: MAIL_PATH,
    description: 'Mails that were not delivered, with their errors.',
    calls: [CALL, ...Object.values(MAIL_CALLS)],
    scripts: ['relative-times'],
    async read({ perform, query, visitor }) {
      const asked: Asked = Object.fromEntries([...query].filter(([name, value]) => PARAMETERS.includes(name) && value))
      const page = await perform<Mails>(CALL, asked)
      const { state = 'failed' } = asked
      const linkTo = (after: string, path = MAIL_PATH) => addressWith(path, { ...asked, after })
      return {
        title: 'Mail',
        main: (formState) => html`<div class="desk-head"><h1>Mail</h1> ${testForm(formState, visitor.user.email)}</div>
<div class="toolbar">${filters(page, state)}${state === 'failed' && page.mails.length > 1 && retryAll(formState, page.mails)}</div>
${page.mails.length > 0 ? mailTable(page.mails, formState) : empty(page, state, asked)}
${pager({ first: asked.after && linkTo(''), next: page.next === null ? undefined : linkTo(page.next) })}`,
        markdown: () =>
          [
            `${page.failed} failed, ${page.waiting} waiting. These are those that ${state === 'failed' ? 'have failed' : 'wait'}.`,
            page.mails.map(mailInMarkdown).join('\n') || 'None.',
            page.next !== null && `[Next page](${linkTo(page.next, markdownPath(MAIL_PATH))})`,
          ]
            .filter(Boolean)
            .join('\n\n'),
      }
    },
    forms: mailForms,
  }
}

function testForm(formState: FormState, email: string): Html {
  return formState.of('test').form(html``, 'Send me a test mail', { look: 'quiet', of: `to ${email}` })
}

function retryAll(formState: FormState, mails: Mails['mails']): Html {
  const ids = mails.map(({ mailId }) => mailId).join(' ')
  return formState
    .of('retry')
    .form(html`<input type="hidden" name="ids" value="${ids}">`, `Try these ${mails.length} again`, { look: 'quiet' })
}

function filters({ failed, waiting }: Mails, state: string): Html {
  const counts = { failed, waiting }
  return html`<nav class="filters" aria-label="Filter">${Object.entries(STATES).map(
    ([name, words]) =>
      html`<a href="${addressWith(MAIL_PATH, { state: name === 'failed' ? '' : name })}"${name === state && html` aria-current="true"`}>${words} <span class="count">${format(counts[name as keyof typeof counts])}</span></a> `,
  )}</nav>`
}

function empty({ failed, waiting }: Mails, state: string, { after }: Asked): Html {
  if (after) return html`<div class="empty"><p>There is no mail after the page before.</p></div>`
  if (state === 'waiting')
    return html`<div class="empty"><p>No mail waits: every other one was delivered or has failed.</p>
<p>Send yourself a test mail to see that mails arrive.${failed > 0 && html` <a href="${MAIL_PATH}">Look at those that failed</a>`}</p></div>`
  return html`<div class="empty"><p>No mail has failed.</p>
<p>${waiting > 0 ? html`<a href="${addressWith(MAIL_PATH, { state: 'waiting' })}">Look at those that wait</a>, or send` : 'Send'} yourself a test mail to see that mails arrive.</p></div>`
}
