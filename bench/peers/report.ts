import { coresAreSeparate } from '../measure/cores.ts'
import type { Row } from '../measure/rows.ts'
import { peerTableOf } from '../measure/table.ts'
import { CALLERS } from './accounts.ts'
import { PEERS } from './peers.ts'
import { PORTICO_SETTINGS } from './portico.ts'

/** The table with the settings of every peer. */
export function peerReport(about: string[], rows: Row[], how: { rounds: number; seconds: number }): string {
  const cores = coresAreSeparate
    ? 'A server and its database have one core; the load comes from the other cores.'
    : 'Servers, databases and load SHARE all cores: taskset (util-linux) or a second core is missing.'
  return `# Beside others

${about.map((line) => `- ${line}`).join('\n')}

In one line: ${inOneLine(rows)}.

${peerTableOf(rows)}

How to read it:

- A ratio is the median of Portico's figure divided by the other's in each round: more is better where it says "as many", less where it says "the time" or
  "the memory". ${how.rounds} rounds of ${how.seconds} s for each server, in turns, after a warm-up. Figures are medians of the rounds.
- ${cores} "CPU" is processor time of the server for a response, without PostgreSQL.
- ${CALLERS} accounts of 1,000 send requests, each over its own connection. Content is checked before the load. One response under load that
  is not 2xx makes a row INVALID.
- "Refresh" carries the new token of each response into the next request. "First response" is the time from the start of the
  process on existing data to the first good response: the profile of a person who logged in before the restart, or the page.
  "Idle memory" is the resident memory of the server's processes three seconds later.
- "Log-in" names the password hash of each server and its cost.

Settings:

- **Portico**: ${PORTICO_SETTINGS}
${PEERS.map(({ name, settings }) => `- **${name}**: ${settings}`).join('\n')}

Made by \`npm run bench -- --peers\`.
`
}

/** The ratios of the works under load, by work. */
function inOneLine(rows: Row[]): string {
  const measured = rows.flatMap(({ work, against, result }) => {
    const ratio = /^([\d.]+ ×) as many$/.exec(result)?.[1]
    return ratio ? [{ work: work.split(',')[0] ?? '', ratio: `${ratio} ${against.split(/ [\d.]+:/)[0]}` }] : []
  })
  const works = Map.groupBy(measured, ({ work }) => work)
  return [...works].map(([work, ratios]) => `${work} ${ratios.map(({ ratio }) => ratio).join(', ')}`).join('; ')
}
