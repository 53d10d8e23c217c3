import { readableSize } from '../../lib/disk-space.ts'
import { timeOf } from '../account/security/shown-values.ts'
import { type Html, html } from '../html.ts'
import { activityCards, activityInMarkdown, activityTable, format, type Health } from './activity.ts'
import { attentionInMarkdown, attentionList } from './attention.ts'
import type { DeskPage } from './page.ts'
import { chosen, chosenInMarkdown } from './shown-values.ts'

export const HEALTH_PATH = '/owner/health'
const CALL = 'GET /api/owner/health'

export function healthPage(): DeskPage {
  return {
    path: HEALTH_PATH,
    tab: HEALTH_PATH,
    description: 'The figures of the site: activity, errors, database, disk and running processes.',
    calls: [CALL],
    scripts: ['relative-times'],
    async read({ perform }) {
      const health = await perform<Health>(CALL)
      const facts = factsOf(health)
      return {
        title: 'Health',
        main: () => html`<h1>Health</h1>
${attentionList(health)}
<dl class="tiles">${tilesOf(health).map(([title, value, more]) => html`<div><dt>${title}</dt><dd>${value} <span>${more}</span></dd></div>`)}</dl>
${activityCards(health)}
${activityTable(health)}
<section class="card" aria-labelledby="versions">
<h2 id="versions">Versions and sizes</h2>
<dl class="facts paired">${facts.map(([title, words]) => html`<div><dt>${title}</dt><dd>${words}</dd></div>`)}</dl>
</section>
${processes(health)}`,
        markdown: () =>
          [
            attentionInMarkdown(health),
            [
              ...tilesOf(health).map(([title, value, more]) => `- ${title}: ${value}${more && ` (${more})`}`),
              ...facts.map(([title, words]) => `- ${title}: ${words}`),
            ].join('\n'),
            `## Running processes\n\n${health.instances.map(inMarkdown).join('\n') || 'None has reported in the last three minutes.'}`,
            `## Activity\n\n${activityInMarkdown(health)}`,
          ].join('\n\n'),
      }
    },
  }
}

type Tile = [title: string, value: string, more: string]

function tilesOf({ requests, mails, hashQueue, diskFreeBytes, diskTotalBytes }: Health): Tile[] {
  const { lastHour, errors } = requests
  return [
    ['Errors', rateOf(errors, lastHour), `${format(errors)} of ${format(lastHour)} responses in an hour`],
    ['Hash queue', format(hashQueue.length), `of ${format(hashQueue.capacity)} that may wait`],
    [
      'Oldest waiting mail',
      ageOf(mails.oldestWaitingSeconds),
      `${format(mails.waiting)} waiting, ${format(mails.failed)} failed`,
    ],
    [
      'Disk left',
      diskFreeBytes === null ? 'unknown' : readableSize(diskFreeBytes),
      diskTotalBytes === null ? '' : `of ${readableSize(diskTotalBytes)}`,
    ],
  ]
}

/** Such as "0.02 %". */
function rateOf(part: number, whole: number): string {
  return part === 0 ? '0 %' : `${((part / whole) * 100).toFixed(2)} %`
}

/** Such as "40 s", "12 min", "5 h" or "none". */
function ageOf(seconds: number): string {
  if (seconds === 0) return 'none'
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
}

function factsOf(health: Health): [string, string][] {
  const { engine, engineVersion, migrations } = health
  return [
    ['Portico', health.version],
    ['Node', health.node],
    ['Database', `${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${engineVersion}`],
    ['Size', readableSize(health.databaseBytes)],
    ['Migrations', `${migrations.applied} have run, the last is ${migrations.latest}`],
    ...(migrations.pending.length > 0 ? [['Not run yet', migrations.pending.join(', ')] as [string, string]] : []),
  ]
}

function processes({ instances }: Health): Html {
  return html`<h2>Running processes</h2>
<table class="dense processes">
<caption class="unseen">Running processes</caption>
<thead><tr><th scope="col" class="host">Host</th><th scope="col">Version</th><th scope="col">Started</th><th scope="col">Last report</th><th scope="col" class="right">Responses</th><th scope="col" class="right">Errors</th></tr></thead>
<tbody>
${instances.map(
  ({ host, version, startedAt, seenAt, requests, errors }) => html`<tr>
<td class="name"><strong>${chosen(host)}</strong></td>
<td>${chosen(version)}</td>
<td data-label="started">${timeOf(startedAt)}</td>
<td data-label="reported">${timeOf(seenAt)}</td>
<td class="right" data-label="responses">${format(requests)}</td>
<td class="right" data-label="errors">${format(errors)}</td>
</tr>
`,
)}</tbody>
</table>
<p class="meta">Each process reports once a minute, and counts the responses of the last hour. “portico doctor” on the server examines the settings, the mail server and the proxy.</p>`
}

function inMarkdown({ host, version, startedAt, seenAt, requests, errors }: Health['instances'][number]): string {
  return `- ${chosenInMarkdown(host)}: version ${chosenInMarkdown(version)}, started ${startedAt}, last report ${seenAt}, ${requests} responses and ${errors} errors in the last hour`
}
