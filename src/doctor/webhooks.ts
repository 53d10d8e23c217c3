import { counted } from '../lib/counted.ts'
import { daysBetween, ok, warning } from './finding.ts'
import { needsTables } from './needs-tables.ts'

/** Webhooks that get no events. No warning for a webhook that an owner has switched off before it failed. */
export const checkWebhooks = needsTables(async (database) => {
  const webhooks = await database.query
    .selectFrom('webhooks')
    .select(['id', 'url', 'disabled_at', 'failing_since', database.now.as('now')])
    .orderBy('created_at')
    .execute()
  const failing = webhooks.flatMap(({ failing_since, ...webhook }) =>
    failing_since === null ? [] : [{ ...webhook, failing_since }],
  )
  if (failing.length === 0) return [ok(`${counted(webhooks.length, 'webhook')}, none failing`)]
  return failing.map(({ id, url, disabled_at, failing_since, now }) => {
    // The path of the URL may contain a secret of the receiver.
    const { host } = new URL(url)
    return disabled_at === null
      ? warning(
          `the webhook at ${host} has failed for ${wholeDays(daysBetween(failing_since, now))}`,
          `"portico webhook deliveries ${id}" tells why. After three days it is switched off.`,
        )
      : warning(
          `the webhook at ${host} is switched off because it failed`,
          `Mend the receiver, and "portico webhook change ${id} --on" switches it on again.`,
        )
  })
})

function wholeDays(days: number): string {
  return days === 0 ? 'less than a day' : counted(days, 'day')
}
