import { WEBHOOK_EVENT_TYPES } from '../database/webhook-tables.ts'
import { printable } from '../lib/printable.ts'
import { changeWebhook } from '../owner/change-webhook.ts'
import { createWebhook } from '../owner/create-webhook.ts'
import { deleteWebhook } from '../owner/delete-webhook.ts'
import { listWebhookDeliveries } from '../owner/list-webhook-deliveries.ts'
import { listWebhooks } from '../owner/list-webhooks.ts'
import { resendWebhookDelivery } from '../owner/resend-webhook-delivery.ts'
import { rotateWebhookSecret } from '../owner/rotate-webhook-secret.ts'
import type { Invocation } from './command.ts'
import { withOwnerDesk } from './owner-desk.ts'
import { usageError } from './parse.ts'
import { alignColumns, type Terminal } from './terminal.ts'

export async function list(invocation: Invocation): Promise<undefined> {
  const { terminal } = invocation
  const data = await withOwnerDesk(terminal, ({ parts, run }) => run(listWebhooks(parts)))
  report(invocation, data, ({ webhooks }) => {
    if (webhooks.length === 0) return terminal.print('There is no webhook yet: "portico webhook add URL" creates one.')
    const rows = webhooks.map(({ webhookId, url, events, disabledAt, failingSince }) => [
      webhookId,
      url,
      disabledAt ? `off since ${disabledAt}` : failingSince ? `failing since ${failingSince}` : 'on',
      events.join(' '),
    ])
    printTable(terminal, ['ID', 'URL', 'STATE', 'EVENTS'], rows)
  })
}

export async function add(invocation: Invocation): Promise<undefined> {
  const { args, text, terminal } = invocation
  const events = eventsOf(text('events'))
  if (!events) throw usageError(`Give --events: one or more of ${KNOWN_EVENTS}, with commas between them`)
  const body = { url: args[0], events }
  const data = await withOwnerDesk(terminal, ({ parts, run }) => run(createWebhook(parts), { body }))
  report(invocation, data, ({ webhook, secret }) => {
    terminal.print(`Created the webhook ${webhook.webhookId}.`)
    terminal.print(`Its secret, which is shown only now: ${secret}`)
  })
}

export async function change(invocation: Invocation): Promise<undefined> {
  const { args, text, flag, terminal } = invocation
  if (flag('on') && flag('off')) throw usageError('Give --on or --off, and not both')
  const [url, events] = [text('url'), eventsOf(text('events'))]
  const changes = {
    ...(url !== undefined && { url }),
    ...(events && { events }),
    ...((flag('on') || flag('off')) && { isEnabled: flag('on') }),
  }
  if (Object.keys(changes).length === 0) throw usageError('Give --url, --events, --on or --off')
  const body = { webhookId: args[0], ...changes }
  const data = await withOwnerDesk(terminal, ({ parts, run }) => run(changeWebhook(parts), { body }))
  report(invocation, data, ({ webhook }) =>
    terminal.print(`Changed the webhook. It is ${webhook.isEnabled ? 'on' : 'off'}.`),
  )
}

export async function remove(invocation: Invocation): Promise<undefined> {
  const { args, flag, terminal } = invocation
  if (!flag('yes')) throw usageError('This deletes the webhook with its secret and its delivery log: add --yes')
  const body = { webhookId: args[0] }
  await withOwnerDesk(terminal, ({ parts, run }) => run(deleteWebhook(parts), { body }))
  report(invocation, body, () => terminal.print('Deleted the webhook.'))
}

export async function rotate(invocation: Invocation): Promise<undefined> {
  const { args, text, terminal } = invocation
  const body = { webhookId: args[0], overlapHours: numberOf(text('overlap-hours') ?? '24', 'overlap-hours') }
  const data = await withOwnerDesk(terminal, ({ parts, run }) => run(rotateWebhookSecret(parts), { body }))
  report(invocation, data, ({ webhook: { previousSecretUntil: until }, secret }) => {
    terminal.print(`The new secret, which is shown only now: ${secret}`)
    terminal.print(
      until ? `Requests have signatures of both secrets until ${until}.` : 'The old one is no longer used.',
    )
  })
}

export async function deliveries(invocation: Invocation): Promise<undefined> {
  const { args, text, terminal } = invocation
  const [limit, after] = [text('limit'), text('after')]
  const query = { webhookId: args[0], ...(limit && { limit }), ...(after && { after }) }
  const data = await withOwnerDesk(terminal, ({ parts, run }) => run(listWebhookDeliveries(parts), { query }))
  report(invocation, data, (page) => {
    if (page.deliveries.length === 0) return terminal.print('No event was sent to this webhook in the last 30 days.')
    const rows = page.deliveries.map(({ deliveryId, type, createdAt, state, attempts, statusCode, lastError }) => [
      deliveryId,
      type,
      createdAt,
      state,
      String(attempts),
      String(statusCode ?? ''),
      lastError ?? '',
    ])
    printTable(terminal, ['ID', 'EVENT', 'CREATED', 'STATE', 'TRIES', 'STATUS', 'LAST ERROR'], rows)
    if (page.next) terminal.print(`\nThere are more: portico webhook deliveries ${args[0]} --after ${page.next}`)
  })
}

export async function resend(invocation: Invocation): Promise<undefined> {
  const { args, terminal } = invocation
  const body = { deliveryId: args[0] }
  const data = await withOwnerDesk(terminal, ({ parts, run }) => run(resendWebhookDelivery(parts), { body }))
  report(invocation, data, () =>
    terminal.print('The event is due now. A running service sends it within five seconds.'),
  )
}

function report<Data>({ json, terminal }: Invocation, data: Data, print: (data: Data) => void): void {
  if (json) terminal.printJson(data)
  else print(data)
}

const KNOWN_EVENTS = WEBHOOK_EVENT_TYPES.join(', ')

function eventsOf(text: string | undefined): string[] | undefined {
  const events = text?.split(',').map((type) => type.trim())
  const unknown = events?.find((type) => !WEBHOOK_EVENT_TYPES.some((known) => known === type))
  if (unknown !== undefined) throw usageError(`--events: "${printable(unknown)}" must be one of ${KNOWN_EVENTS}`)
  return events
}

function numberOf(text: string, option: string): number {
  if (!/^\d{1,3}$/.test(text)) throw usageError(`--${option} must be a number`)
  return Number(text)
}

function printTable(terminal: Terminal, header: string[], rows: string[][]): void {
  for (const line of alignColumns([header, ...rows.map((row) => row.map(printable))])) terminal.print(line)
}
