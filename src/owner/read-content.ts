import type { WaitingDocument } from '../content/check-content.ts'
import type { ContentFault } from '../content/fault.ts'
import { SAMPLE_TIME, Time } from '../http/fields.ts'
import { nullable, Type } from '../http/schema.ts'
import { isoTime } from '../lib/dates.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'

/** Of each list. `portico content check` has all of them. */
const MAX_LISTED = 200

const Fault = Type.Object(
  {
    file: Type.String({ examples: ['posts/2026-11-16-hello.md'] }),
    line: Type.Integer({ examples: [4] }),
    problem: Type.String({ examples: ['"colour" is not a field'] }),
  },
  { title: 'ContentFault' },
)

const Waiting = Type.Object(
  {
    file: Type.String({ examples: ['posts/2026-12-01-advent.md'] }),
    title: Type.String({ examples: ['Advent'] }),
    path: Type.String({ description: 'Its path when it is public', examples: ['/blog/advent'] }),
    date: nullable(Type.String({ ...Time, description: 'Null for a draft without a date', examples: [SAMPLE_TIME] })),
  },
  { title: 'WaitingDocument' },
)

const Count = (example: number) => Type.Integer({ examples: [example] })

export function readContent(parts: OwnerParts) {
  return ownerOperation(parts, {
    id: 'readContent',
    summary: 'Read what is wrong with the content folder, and what is not public yet',
    message: 'Content retrieved successfully',
    description:
      `The state that the running site was built from. Lists have at most ${MAX_LISTED} entries; the counts are those ` +
      'of all. In production, the service reads the folder when it starts and at SIGHUP.',
    data: Type.Object(
      {
        exists: Type.Boolean({ description: 'Whether there is a content folder', examples: [true] }),
        readAt: Time,
        posts: Count(4),
        pages: Count(2),
        faultCount: Count(1),
        warningCount: Count(0),
        draftCount: Count(0),
        faults: Type.Array(Fault, { description: 'What the service logs when it publishes the folder' }),
        warnings: Type.Array(Fault, { description: 'What is probably not meant, but works' }),
        drafts: Type.Array(Waiting),
        scheduled: Type.Array(Waiting, { description: 'What will appear by itself, the next one first' }),
      },
      { title: 'ContentState' },
    ),
    async run() {
      const { exists, readAt, posts, pages, faults, warnings, drafts, scheduled } = await parts.contentStatus.read()
      return {
        data: {
          exists,
          readAt: isoTime(readAt.valueOf()),
          posts,
          pages,
          faultCount: faults.length,
          warningCount: warnings.length,
          draftCount: drafts.length,
          faults: faults.slice(0, MAX_LISTED).map(faultOf),
          warnings: warnings.slice(0, MAX_LISTED).map(faultOf),
          drafts: drafts.slice(0, MAX_LISTED).map(waitingOf),
          scheduled: scheduled.slice(0, MAX_LISTED).map(waitingOf),
        },
      }
    },
  })
}

function faultOf({ file, line, problem }: ContentFault) {
  return { file, line, problem }
}

function waitingOf({ file, title, path, date }: WaitingDocument) {
  return { file, title, path, date: date ? isoTime(date.valueOf()) : null }
}
