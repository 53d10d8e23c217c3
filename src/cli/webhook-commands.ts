import { WEBHOOK_EVENT_TYPES } from '../database/webhook-tables.ts'
import type { Command } from './command.ts'

const EVENTS = `A list of event types, separated by commas: ${WEBHOOK_EVENT_TYPES.join(', ')}.`

export const WEBHOOK_COMMANDS: readonly Command[] = [
  {
    name: 'webhook list',
    summary: 'List the webhooks',
    json: true,
    load: async () => (await import('./webhook.ts')).list,
  },
  {
    name: 'webhook add',
    summary: 'Create a webhook, and print its secret',
    args: ['URL'],
    json: true,
    options: { events: { type: 'string', value: 'TYPES', description: 'the events that are sent to it' } },
    details: [EVENTS],
    examples: [
      ['portico webhook add https://hooks.example.com/x --events account.created,account.deleted', 'sends two kinds'],
    ],
    load: async () => (await import('./webhook.ts')).add,
  },
  {
    name: 'webhook change',
    summary: 'Change the URL or the events of a webhook, or switch it on or off',
    args: ['ID'],
    json: true,
    options: {
      url: { type: 'string', value: 'URL', description: 'the new address' },
      events: { type: 'string', value: 'TYPES', description: 'the events that are sent to it from now on' },
      on: { type: 'boolean', description: 'switch it on' },
      off: { type: 'boolean', description: 'switch it off' },
    },
    details: [EVENTS],
    load: async () => (await import('./webhook.ts')).change,
  },
  {
    name: 'webhook remove',
    summary: 'Delete a webhook with its secret and its delivery log',
    args: ['ID'],
    json: true,
    options: { yes: { type: 'boolean', description: 'confirm that it is deleted for good' } },
    load: async () => (await import('./webhook.ts')).remove,
  },
  {
    name: 'webhook rotate',
    summary: 'Replace the secret of a webhook, and print the new one',
    args: ['ID'],
    json: true,
    options: {
      'overlap-hours': {
        type: 'string',
        value: 'NUMBER',
        description: 'how long requests have signatures of both secrets, from 0 to 168; 24 by default',
      },
    },
    load: async () => (await import('./webhook.ts')).rotate,
  },
  {
    name: 'webhook deliveries',
    summary: 'Show the delivery log of a webhook, newest first',
    args: ['ID'],
    json: true,
    options: {
      limit: { type: 'string', value: 'NUMBER', description: 'at most this number, from 1 to 100; 50 by default' },
      after: { type: 'string', value: 'NEXT', description: 'the page after the one that has printed NEXT' },
    },
    load: async () => (await import('./webhook.ts')).deliveries,
  },
  {
    name: 'webhook resend',
    summary: 'Send an event to its webhook again',
    args: ['DELIVERY'],
    json: true,
    details: ['DELIVERY is an id that "portico webhook deliveries" shows.'],
    load: async () => (await import('./webhook.ts')).resend,
  },
]
