import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { createLog } from '../../src/log.ts'
import { LogOutput } from '../../src/log-output.ts'

/** What a log in development prints, as lines. */
async function printed(write: (log: ReturnType<typeof createLog>) => void): Promise<string[]> {
  let text = ''
  const sink = {
    write(chunk: string, done: () => void) {
      text += chunk
      done()
    },
    writeAtExit: () => {},
  }
  const log = createLog({ mode: 'development', logLevel: 'info' }, undefined, new LogOutput(sink))
  write(log)
  await promisify(log.flush).call(log)
  return text.trimEnd().split('\n')
}

describe('the log in development', () => {
  it('prints a request in one line, with its id', async () => {
    const request = { requestId: 'id-1', method: 'GET', path: '/healthz', status: 200, milliseconds: 1.5 }
    const [line, ...more] = await printed((log) => log.info(request, 'request'))
    assert.match(line ?? '', /^\d\d:\d\d:\d\d 200 GET {4}\/healthz 1\.5 ms {2}id-1$/)
    assert.deepEqual(more, [])
  })

  it('prints a mail with its text', async () => {
    const mail = { to: 'a@example.com', subject: 'Hello', text: 'One\n\nTwo\n' }
    const lines = await printed((log) => log.info({ mail }, 'mail kept in the mailbox'))
    assert.match(lines[0] ?? '', /mail to a@example\.com: Hello$/)
    assert.deepEqual(lines.slice(1), ['│ One', '│ ', '│ Two'])
  })

  it('prints what failed and why, whatever else is said of it', async () => {
    const err = new Error('the server is gone')
    const lines = await printed((log) => log.warn({ err, mailId: 'id-2', attempts: 3 }, 'will try a mail again'))
    assert.match(lines[0] ?? '', /● will try a mail again \{"mailId":"id-2","attempts":3\}$/)
    assert.match(lines[1] ?? '', /^Error: the server is gone$/)
  })

  it('prints where things are, a line each', async () => {
    const lines = await printed((log) => log.info({ where: { data: 'SQLite', mail: 'by SMTP' } }, 'ready'))
    assert.deepEqual(
      lines.slice(1).map((line) => line.trim()),
      ['data      SQLite', 'mail      by SMTP'],
    )
  })
})
