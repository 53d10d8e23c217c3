import { markdown } from './site.ts'

const SERIES = 'A database in one file'

/** Posts of a series, and one with every kind of markup, by the names of their files. */
export const SHOWN_POSTS = {
  'write-ahead-log.md': markdown(
    {
      title: 'The write-ahead log',
      description: 'How SQLite lets others read while one process writes.',
      date: '2025-03-04',
      tags: ['databases'],
      series: SERIES,
    },
    `SQLite appends each change to a second file, the write-ahead log[^wal]. Readers see the database as it was when
their transaction began.

> [!TIP]
> \`PRAGMA journal_mode = WAL\` is stored in the database file. One connection has to set it, once.

## Checkpoints

A checkpoint copies the pages of the log into the database file. A reader that stays open keeps the log from being reset:

\`\`\`ts {2} title="src/checkpoint.ts"
const before = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
if (before.checkpointed < before.log) log.warn('a reader keeps the log')
\`\`\`

[^wal]: The file beside the database with the extension \`-wal\`.`,
  ),
  'query-plans.md': markdown(
    {
      title: 'Reading a query plan',
      description: 'The words SCAN and SEARCH, and what an index changes.',
      date: '2025-05-20',
      tags: ['databases', 'api'],
      series: SERIES,
    },
    `A query of $n$ rows without an index reads all of them. A B-tree of order $m$ reads about $\\log_m n$ pages.

SCAN
: The whole table is read, row by row.

SEARCH
: An index or the primary key leads to the rows.

\`\`\`sql diff lineNumbers
-select * from posts where lower(slug) = 'hello'
+select * from posts where slug = 'hello'
\`\`\``,
  ),
  'all-markup.md': markdown(
    {
      title: 'Everything that a post can have, with a title that is long enough for several lines on a phone',
      date: '2025-06-01',
      updated: '2025-06-02',
      tags: ['writing', 'databases'],
      image: 'sky.png',
      imageAlt: 'A gradient from blue to white',
    },
    `## Callouts

${['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION'].map((kind) => `> [!${kind}]\n> Text with [a link](/blog) and \`code\`.`).join('\n\n')}

## Text

==Marked words==, ~~struck~~ ones, a footnote[^one] and a second[^two].

- [x] done
- [ ] to do

| left | right | middle |
|:-----|------:|:------:|
| a | 1 | x |
| b | 22 | y |

> A quotation.

## Formulas

$$
\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}
$$

## Code

\`\`\`ts {2} lineNumbers title="src/sum.ts"
export function sum(n: number): number {
  return (n * (n + 1)) / 2
}
\`\`\`

\`\`\`diff
-old line
+new line
\`\`\`

## Pictures

![A gradient from blue to white](sky.png "The caption of the picture")

[^one]: The first note.
[^two]: The second note, with a [link](/about).`,
  ),
}
