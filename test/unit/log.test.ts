import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { createLog } from '../../src/logging/log.ts'
import { logTo } from '../support/service.ts'

/** The output of a log for people, as lines. */
function printed(write: (log: ReturnType<typeof createLog>) => void): string[] {
  let text = ''
  write(
    logTo(
      (line) => {
        text += line
      },
      { logFormat: 'pretty' },
    ),
  )
  return text.trimEnd().split('\n')
}

describe('the log for people', () => {
  it('prints a request in one line, with its id', () => {
    const request = { requestId: 'id-1', ip: '::1', method: 'GET', path: '/healthz', status: 200, milliseconds: 1.5 }
    const [line, ...more] = printed((log) => log.request?.(request))
    assert.match(line ?? '', /^\d\d:\d\d:\d\d 200 GET {4}\/healthz 1\.5 ms {2}id-1$/)
    assert.deepEqual(more, [])
  })

  it('prints a mail with its text', () => {
    const mail = { to: 'a@example.com', subject: 'Hello', text: 'One\n\nTwo\n' }
    const lines = printed((log) => log.info({ mail }, 'mail kept in the mailbox'))
    assert.match(lines[0] ?? '', /mail to a@example\.com: Hello$/)
    assert.deepEqual(lines.slice(1), ['│ One', '│ ', '│ Two'])
  })

  it('prints the failure and its cause, whatever other fields there are', () => {
    const err = new Error('the server is gone')
    const lines = printed((log) => log.warn({ err, mailId: 'id-2', attempts: 3 }, 'will try a mail again'))
    assert.match(lines[0] ?? '', /● will try a mail again \{"mailId":"id-2","attempts":3\}$/)
    assert.match(lines[1] ?? '', /^Error: the server is gone$/)
  })

  it('prints the addresses at start, one per line', () => {
    const lines = printed((log) => log.info({ where: { data: 'SQLite', mail: 'by SMTP' } }, 'ready'))
    assert.deepEqual(
      lines.slice(1).map((line) => line.trim()),
      ['data      SQLite', 'mail      by SMTP'],
    )
  })
})
