import { counted } from '../../lib/counted.ts'
import type { listOwnerActions } from '../../owner/list-owner-actions.ts'
import type { readContent } from '../../owner/read-content.ts'
import { timeOf } from '../account/security/shown-values.ts'
import { type Html, html } from '../html.ts'
import { DESK_PATH, OVERVIEW_PATH } from '../layout.ts'
import { activityCards, activityInMarkdown, activityTable, format, type Health } from './activity.ts'
import { attentionInMarkdown, attentionList } from './attention.ts'
import { AUDIT_PATH } from './audit.ts'
import { changesIn } from './audit-details.ts'
import { CONTENT_PATH } from './content.ts'
import { HEALTH_PATH } from './health.ts'
import { MAIL_PATH } from './mail/forms.ts'
import type { DataOf, DeskPage } from './page.ts'
import { REGISTRATION_PATH } from './registration/page.ts'
import { chosen, chosenInMarkdown, shortMoment } from './shown-values.ts'

const CALLS = ['GET /api/owner/health', 'GET /api/owner/content', 'GET /api/owner/audit'] as const
const SHOWN_ACTIONS = 5
const SHOWN_CHANGES = 2

type Content = DataOf<typeof readContent>
type Actions = DataOf<typeof listOwnerActions>['actions']

/** A number of the overview in words, with the path of the page that has the details. */
interface Fact {
  title: string
  words: string
  path: string
}

export function overviewPage(): DeskPage {
  return {
    path: OVERVIEW_PATH,
    tab: OVERVIEW_PATH,
    description: 'What needs the attention of an owner, and what happens on the site.',
    calls: [...CALLS],
    scripts: ['relative-times'],
    async read({ perform }) {
      const health = await perform<Health>(CALLS[0])
      const content = await perform<Content>(CALLS[1])
      const { actions } = await perform<{ actions: Actions }>(CALLS[2], { limit: String(SHOWN_ACTIONS) })
      const facts = factsOf(health, content)
      return {
        title: 'Overview',
        main: () => html`<h1>Overview</h1>
${attentionList(health)}
${activityCards(health)}
${activityTable(health)}
<div class="pair-of-cards">
<section class="card" aria-labelledby="now">
<h2 id="now">Now</h2>
<dl class="facts">${facts.map(({ title, words, path }) => html`<div><dt><a href="${path}">${title}</a></dt><dd>${chosen(words)}</dd></div>`)}</dl>
</section>
<section class="card" aria-labelledby="latest">
<h2 id="latest">Latest changes by owners</h2>
${latest(actions)}
</section>
</div>`,
        markdown: () =>
          [
            attentionInMarkdown(health),
            facts.map(({ title, words }) => `- ${title}: ${chosenInMarkdown(words)}`).join('\n'),
            activityInMarkdown(health),
            `## Latest changes by owners\n\n${actions.map(({ createdAt, description }) => `- ${createdAt}: ${chosenInMarkdown(description)}`).join('\n') || 'None.'}`,
          ].join('\n\n'),
      }
    },
  }
}

function factsOf({ mails, pending, requests, instances }: Health, content: Content): Fact[] {
  const [next] = content.scheduled
  return [
    { title: 'Mail', words: `${format(mails.waiting)} waiting, ${format(mails.failed)} failed`, path: MAIL_PATH },
    {
      title: 'Content',
      words: `${counted(content.posts, 'post')}, ${counted(content.pages, 'page')}, ${counted(content.draftCount, 'draft')}`,
      path: CONTENT_PATH,
    },
    ...(next
      ? [
          {
            title: 'Appears next',
            words: `${next.title || next.path}, ${shortMoment(next.date ?? '')}`,
            path: CONTENT_PATH,
          },
        ]
      : []),
    {
      title: 'Not verified',
      words: pending.unverifiedPeople === 1 ? '1 person' : `${format(pending.unverifiedPeople)} people`,
      path: `${DESK_PATH}?filter=unverified`,
    },
    { title: 'Invitations', words: `${format(pending.invitations)} open`, path: REGISTRATION_PATH },
    {
      title: 'Service',
      words: `${instances.length} ${instances.length === 1 ? 'process' : 'processes'}, ${format(requests.lastHour)} responses in the last hour`,
      path: HEALTH_PATH,
    },
  ]
}

function latest(actions: Actions): Html {
  if (actions.length === 0) return html`<p>No owner has changed anything yet.</p>`
  return html`<ul class="events">${actions.map(
    (action) =>
      html`<li><strong>${chosen(action.description)}</strong> ${timeOf(action.createdAt)} <span>${chosen(changeSummary(action))}</span></li>
`,
  )}</ul>
<p class="meta"><a href="${AUDIT_PATH}">The whole audit log</a></p>`
}

/** Such as "ada@example.com · role: member → owner · by grace@example.com". */
function changeSummary({ person, owner, details }: Actions[number]): string {
  const by = owner === null ? 'the command line' : (owner.email ?? 'a deleted owner')
  return [person?.email, ...changesIn(details).slice(0, SHOWN_CHANGES), `by ${by}`].filter(Boolean).join(' · ')
}
