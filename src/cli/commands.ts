import type { Command } from './command.ts'
import { OWNER_COMMANDS } from './owner-commands.ts'
import { WEBHOOK_COMMANDS } from './webhook-commands.ts'

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'init',
    summary: 'Create the folder of a new site',
    args: ['[FOLDER]'],
    options: {
      title: { type: 'string', value: 'TEXT', description: 'title of the site' },
      author: { type: 'string', value: 'TEXT', description: 'your name, for feeds and the bottom of the pages' },
      url: { type: 'string', value: 'URL', description: 'public address, such as https://example.com' },
      portico: { type: 'string', value: 'VERSION', description: 'version or location of Portico in package.json' },
      'no-install': { type: 'boolean', description: 'write the files only' },
      yes: { type: 'boolean', short: 'y', description: 'ask no questions' },
    },
    json: true,
    details: [
      'Writes content/, .env, package.json, .gitignore and README.md, and installs Portico with the package manager ' +
        'that runs the command. On a terminal it asks for what the options leave open. Without FOLDER and without a ' +
        'terminal, the folder is my-site. Nothing is overwritten: the folder must not exist, or be empty.',
    ],
    examples: [['npx portico init my-site', 'creates my-site, then: cd my-site && npm start']],
    load: async () => (await import('./init.ts')).run,
  },
  {
    name: 'serve',
    summary: 'Serve the site and its accounts',
    examples: [['PORT=8080 portico serve', 'listens on another port; so does a line PORT=8080 in .env']],
    details: [
      'Listens on PORT (3000). On SIGTERM the server stops accepting connections, finishes the requests under way and ' +
        'exits with 0. With NODE_ENV=production, SIGHUP makes it read the content folder again.',
    ],
    load: async () => (await import('./serve.ts')).run,
  },
  {
    name: 'dev',
    summary: 'Serve in development mode, and restart when .env changes',
    details: [
      'The same as "portico serve" with NODE_ENV=development: a saved post is visible after a reload, drafts are at ' +
        '/dev/drafts, and mails at /dev/mailbox if SMTP_URL is not set.',
    ],
    load: async () => (await import('./dev.ts')).run,
  },
  {
    name: 'doctor',
    summary: 'Look for what goes wrong in practice, and say how to mend it',
    json: true,
    options: {
      'send-to': { type: 'string', value: 'ADDRESS', description: 'also send one test mail to this address' },
      timeout: { type: 'string', value: 'SECONDS', description: 'the time limit of each check; 5 by default' },
    },
    details: [
      'Checks the settings, file modes, database, migrations, clocks, mail server, sign-in providers, BASE_URL ' +
        'through the proxy, TRUSTED_PROXIES, the space on the disk, content and keys. It changes nothing, prints no ' +
        'secret, and works while the service runs and while it does not.',
      'The exit code is 1 when something must be mended. "portico health" has the figures of the running site instead.',
    ],
    load: async () => (await import('./doctor.ts')).run,
  },
  {
    name: 'health',
    summary: 'Show the figures of the running site, and what needs attention',
    json: true,
    details: [
      'Sign-ups and log-ins of the last 30 days, running processes, errors, mails, sizes and versions, from the ' +
        'database, as /owner/health shows them. "portico doctor" examines settings, mail server, proxy and files of ' +
        'this machine instead, and says how to mend them.',
      'The exit code is 0 also when something needs attention.',
    ],
    load: async () => (await import('./health.ts')).run,
  },
  ...(['post', 'page'] as const).map(
    (kind): Command => ({
      name: `new ${kind}`,
      summary: `Create a ${kind} as a draft, with its front matter`,
      args: ['TITLE...'],
      json: true,
      options: {
        publish: { type: 'boolean', description: 'leave out "draft: true"' },
        slug: {
          type: 'string',
          value: 'SLUG',
          description: 'the last part of the address; made from the title by default',
        },
      },
      examples: [
        [
          `portico new ${kind} "Hello, world"`,
          `creates ${kind === 'post' ? 'posts/<date>-hello-world.md' : 'pages/hello-world.md'}`,
        ],
      ],
      load: async () => (await import('./new.ts'))[kind === 'post' ? 'newPost' : 'newPage'],
    }),
  ),
  {
    name: 'content check',
    summary: 'Check the content folder as a service that publishes it',
    json: true,
    options: { strict: { type: 'boolean', description: 'let warnings fail too' } },
    details: [
      'Faults are what the service logs when it reads the folder, such as broken links and missing pictures. Warnings ' +
        'are documents with the same title, and files that nothing uses.',
    ],
    load: async () => (await import('./content.ts')).check,
  },
  ...OWNER_COMMANDS,
  {
    name: 'mail list',
    summary: 'List the mails that wait for delivery or have failed',
    json: true,
    options: { failed: { type: 'boolean', description: 'only those that failed permanently' } },
    load: async () => (await import('./mail.ts')).list,
  },
  {
    name: 'mail retry',
    summary: 'Try mails again now, also those that failed permanently',
    args: ['[ID...]'],
    json: true,
    options: { all: { type: 'boolean', description: 'all mails of the outbox' } },
    details: ['A mail that is being sent, or was tried and is due again within four minutes, is left as it is.'],
    load: async () => (await import('./mail.ts')).retry,
  },
  {
    name: 'mail drop',
    summary: 'Delete mails that were not delivered',
    args: ['[ID...]'],
    json: true,
    options: { 'all-failed': { type: 'boolean', description: 'all mails that failed permanently' } },
    load: async () => (await import('./mail.ts')).drop,
  },
  {
    name: 'mail test',
    summary: 'Send an owner of the site a test mail, through the outbox',
    args: ['EMAIL'],
    json: true,
    details: [
      'EMAIL is the address of an owner. At most 5 in an hour. "portico doctor --send-to" talks to the mail server ' +
        'itself, and needs no running service.',
    ],
    load: async () => (await import('./mail.ts')).test,
  },
  ...WEBHOOK_COMMANDS,
  {
    name: 'migrate',
    summary: 'Run the migrations that the database lacks, as a start does',
    json: true,
    options: { 'dry-run': { type: 'boolean', description: 'list them, and change nothing' } },
    details: ['Refuses a database that a newer version of Portico has migrated.'],
    load: async () => (await import('./migrate.ts')).run,
  },
  {
    name: 'keys list',
    summary: 'List the signing keys',
    json: true,
    load: async () => (await import('./keys.ts')).listKeys,
  },
  {
    name: 'keys rotate',
    summary: 'Create a signing key and retire the others',
    json: true,
    details: [
      'Running servers load the new key within a minute and sign with it one minute later. Tokens that were signed ' +
        'with a retired key stay valid until they expire, so nobody is signed out.',
    ],
    load: async () => (await import('./keys.ts')).rotateKeys,
  },
  {
    name: 'backup',
    summary: 'Write a backup of the database to a file, while the service runs',
    args: ['FILE'],
    options: {
      encrypt: { type: 'boolean', description: 'encrypt with a passphrase, which is asked for' },
      'passphrase-file': { type: 'string', value: 'FILE', description: 'encrypt with the first line of this file' },
      force: { type: 'boolean', description: 'replace FILE if it exists' },
    },
    json: true,
    details: [
      'The backup is one consistent moment of the database, compressed, readable by its owner only, and verified by ' +
        'reading it back. With - as FILE it goes to stdout, where it cannot be verified.',
      'Encrypted backups are files of age (https://age-encryption.org).',
    ],
    examples: [
      ['portico backup site.backup', 'writes a backup'],
      ['portico backup --encrypt site.backup', 'asks for a passphrase and encrypts'],
      ['age -d site.backup | zstd -d | head', 'reads an encrypted backup without Portico'],
    ],
    load: async () => (await import('./backup.ts')).run,
  },
  {
    name: 'restore',
    summary: 'Restore a backup to an empty database, of either engine',
    args: ['FILE'],
    options: {
      'passphrase-file': { type: 'string', value: 'FILE', description: 'read the passphrase from this file' },
      'dry-run': { type: 'boolean', description: 'only check the backup, and open no database' },
    },
    json: true,
    details: [
      'The whole backup is checked first. A database with accounts is refused and stays as it is. Stop the service ' +
        'before you restore, and start it afterwards.',
      'The backup may come from the other engine or from an older version of Portico.',
    ],
    examples: [
      ['portico restore site.backup', 'restores to the database of the settings'],
      ['DATABASE_URL=postgres://… portico restore site.backup', 'moves a site to PostgreSQL'],
    ],
    load: async () => (await import('./restore.ts')).run,
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    args: ['SHELL'],
    examples: [
      ['source <(portico completion bash)', 'completes in this bash'],
      ['portico completion zsh > ~/.zfunc/_portico', 'for zsh, with ~/.zfunc in fpath'],
      ['portico completion fish > ~/.config/fish/completions/portico.fish', 'for fish'],
    ],
    load: async () => (await import('./completion.ts')).run,
  },
  {
    name: 'help',
    summary: 'List the commands, or describe those that are named',
    args: ['[COMMAND...]'],
    json: true,
    examples: [
      ['portico help mail', 'lists the commands that begin with "mail"'],
      ['portico help mail list', 'is the same as: portico mail list --help'],
    ],
    load: async () => (await import('./help.ts')).run,
  },
  {
    name: 'version',
    summary: 'Print the versions of Portico, Node and SQLite',
    json: true,
    load: async () => (await import('./version.ts')).run,
  },
]
