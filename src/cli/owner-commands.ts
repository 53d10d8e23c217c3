import { PEOPLE_FILTERS } from '../owner/people-filters.ts'
import { FORMATS } from '../people/format-names.ts'
import type { Command } from './command.ts'

const WHO = 'PERSON is an e-mail address, a username or an id.'

/** The commands about people, owners and registration, in the order of the help. */
export const OWNER_COMMANDS: readonly Command[] = [
  {
    name: 'people list',
    summary: 'List people, or search them by the beginning of e-mail address, username or name',
    args: ['[SEARCH]'],
    json: true,
    options: {
      filter: { type: 'string', value: 'FILTER', choices: PEOPLE_FILTERS, description: 'only some of them' },
      limit: { type: 'string', value: 'NUMBER', description: 'at most this number, from 1 to 100; 50 by default' },
      after: { type: 'string', value: 'NEXT', description: 'the page after the one that has printed NEXT' },
    },
    load: async () => (await import('./people.ts')).list,
  },
  {
    name: 'people show',
    summary: 'Show a person with sessions, ways to sign in, events and mails',
    args: ['PERSON'],
    json: true,
    details: [WHO],
    load: async () => (await import('./people.ts')).show,
  },
  {
    name: 'people suspend',
    summary: 'Suspend a person: sessions end at once, and no way of signing in works',
    args: ['PERSON'],
    json: true,
    options: {
      until: { type: 'string', value: 'DATE', description: 'the end, such as 2027-01-31 or 2027-01-31T12:00Z' },
      reason: { type: 'string', value: 'TEXT', description: 'what the person reads' },
    },
    details: [WHO],
    load: async () => (await import('./people.ts')).suspend,
  },
  ...(
    [
      ['lift', 'Lift the suspension of a person', 'lift'],
      ['verify', 'Declare the e-mail address of a person verified', 'verify'],
      ['end-sessions', 'End all sessions of a person', 'endSessions'],
      ['reset-factors', 'Remove the second factors and passkeys of a person who has lost them', 'resetFactors'],
      ['mail-reset', 'Mail a person the code to choose a new password', 'mailReset'],
    ] as const
  ).map(
    ([name, summary, run]): Command => ({
      name: `people ${name}`,
      summary,
      args: ['PERSON'],
      json: true,
      details: [WHO],
      load: async () => (await import('./people.ts'))[run],
    }),
  ),
  {
    name: 'people end-session',
    summary: 'End one session of a person',
    args: ['PERSON', 'SESSION'],
    json: true,
    details: [WHO, 'SESSION is an id that "portico people show" prints.'],
    load: async () => (await import('./people.ts')).endSession,
  },
  {
    name: 'people create',
    summary: 'Create an account with a verified address and without a password',
    args: ['EMAIL'],
    json: true,
    options: {
      'first-name': { type: 'string', value: 'NAME', description: 'required' },
      'last-name': { type: 'string', value: 'NAME', description: 'empty by default' },
    },
    load: async () => (await import('./people.ts')).create,
  },
  {
    name: 'people rename',
    summary: 'Change the username of a person',
    args: ['PERSON', 'USERNAME'],
    json: true,
    details: [WHO],
    load: async () => (await import('./people.ts')).rename,
  },
  {
    name: 'people delete',
    summary: 'Delete a person and everything that belongs to them',
    args: ['PERSON'],
    json: true,
    options: { yes: { type: 'boolean', description: 'confirm that the account is deleted for good' } },
    details: [WHO],
    load: async () => (await import('./people.ts')).remove,
  },
  {
    name: 'people import',
    summary: 'Import people with their passwords from a file of Portico or another system',
    args: ['FILE'],
    json: true,
    options: {
      from: { type: 'string', value: 'FORMAT', choices: FORMATS, description: 'its format' },
      'dry-run': { type: 'boolean', description: 'report what would happen, and change nothing' },
      'with-roles': { type: 'boolean', description: 'make the owners of the file owners; otherwise all are members' },
      'firebase-hash-config': { type: 'string', value: 'FILE', description: 'hash parameters of a Firebase project' },
    },
    details: [
      'A person whose address has an account is left as they are, so an interrupted import is run again. A line that ' +
        'cannot be imported is named, changes nothing, and makes the exit code 1. Nobody gets a mail.',
      'Reads Portico’s own NDJSON and CSV, and the exports of better-auth, Supabase Auth, PocketBase, Firebase and Auth0. ' +
        'The content shows which one it is. --from names the format of a file that does not.',
    ],
    examples: [
      ['portico people import users.json --dry-run', 'says what would be imported'],
      ['portico people import users.csv --from supabase', 'imports rows of auth.users'],
    ],
    load: async () => (await import('./people-import.ts')).run,
  },
  {
    name: 'people export',
    summary: 'Export people with their password hashes, as NDJSON or CSV',
    args: ['[FILE]'],
    json: true,
    options: {
      format: { type: 'string', value: 'FORMAT', choices: ['ndjson', 'csv'], description: 'ndjson by default' },
      'without-hashes': { type: 'boolean', description: 'leave the password hashes out' },
      force: { type: 'boolean', description: 'replace the file if it exists' },
    },
    details: ['Without FILE, the people go to stdout. The file has personal data, and is readable by its owner only.'],
    examples: [
      ['portico people export people.ndjson', '"portico people import" reads it, into either engine'],
      ['portico people export --format csv --without-hashes', 'prints a table without secrets'],
    ],
    load: async () => (await import('./people-export.ts')).run,
  },
  {
    name: 'owner list',
    summary: 'List the owners of the site',
    json: true,
    load: async () => (await import('./people.ts')).listOwners,
  },
  {
    name: 'owner add',
    summary: 'Make a person with a verified e-mail address an owner of the site',
    args: ['PERSON'],
    json: true,
    details: [WHO],
    examples: [['portico owner add me@example.com', 'opens the owner’s desk at /owner to this account']],
    load: async () => (await import('./people.ts')).addOwner,
  },
  {
    name: 'owner remove',
    summary: 'Make an owner a member again. The last owner stays one',
    args: ['PERSON'],
    json: true,
    details: [WHO],
    load: async () => (await import('./people.ts')).removeOwner,
  },
  {
    name: 'audit',
    summary: 'Show the audit log of owners and of the command line, newest first',
    args: ['[PERSON]'],
    json: true,
    options: {
      limit: { type: 'string', value: 'NUMBER', description: 'at most this number, from 1 to 100; 50 by default' },
      after: { type: 'string', value: 'NEXT', description: 'the page after the one that has printed NEXT' },
    },
    details: [`${WHO} With it, only what was done with this person is shown, also after the deletion by the id.`],
    load: async () => (await import('./audit.ts')).run,
  },
  {
    name: 'registration show',
    summary: 'Show who may create an account',
    json: true,
    load: async () => (await import('./registration.ts')).show,
  },
  {
    name: 'registration set',
    summary: 'Change who may create an account',
    args: ['[MODE]'],
    json: true,
    options: {
      domains: { type: 'string', value: 'LIST', description: 'the mail domains that open admits; empty for all' },
    },
    details: [
      'MODE is open (everybody), invite (only invited addresses) or closed (nobody). Running services follow at once. ' +
        'Existing accounts are not affected.',
    ],
    examples: [
      ['portico registration set invite', 'lets only invited people create an account'],
      ['portico registration set open --domains example.com,example.org', 'admits the addresses of two domains'],
    ],
    load: async () => (await import('./registration.ts')).set,
  },
  {
    name: 'invitation list',
    summary: 'List the invitations, newest first',
    json: true,
    options: {
      limit: { type: 'string', value: 'NUMBER', description: 'at most this number, from 1 to 100; 50 by default' },
      after: { type: 'string', value: 'NEXT', description: 'the page after the one that has printed NEXT' },
    },
    load: async () => (await import('./invitations.ts')).list,
  },
  {
    name: 'invitation create',
    summary: 'Mail an invitation to create an account',
    args: ['EMAIL'],
    json: true,
    options: {
      days: { type: 'string', value: 'NUMBER', description: 'how long it works, from 1 to 90; 7 by default' },
    },
    details: ['The invitation works once and for this address only. It replaces an earlier one of the address.'],
    load: async () => (await import('./invitations.ts')).create,
  },
  {
    name: 'invitation revoke',
    summary: 'Revoke an invitation, by its e-mail address or id',
    args: ['INVITATION'],
    json: true,
    load: async () => (await import('./invitations.ts')).revoke,
  },
]
