import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LogOutput } from '../../src/log-output.ts'

const MAX_BUFFERED = 4 * 1024 * 1024
const LINE = `${'x'.repeat(1023)}\n`

/** A sink that takes a chunk when the test says so. */
function heldSink() {
  const taken: string[] = []
  let pending: ((error?: Error) => void) | undefined
  return {
    taken,
    atExit: '',
    write(text: string, done: (error?: Error) => void) {
      assert.equal(pending, undefined, 'two chunks are written at once')
      pending = (error) => {
        if (!error) taken.push(text)
        done(error)
      }
    },
    writeAtExit(text: string) {
      this.atExit += text
    },
    /** Takes the chunk that is being written, or fails it. Tells whether there was one. */
    take(error?: Error): boolean {
      const finish = pending
      pending = undefined
      finish?.(error)
      return finish !== undefined
    },
  }
}

const turn = () => new Promise(setImmediate)

describe('the output of the log', () => {
  it('writes the lines of one turn together, in order', async () => {
    const sink = heldSink()
    const output = new LogOutput(sink)
    for (const line of ['one\n', 'two\n', 'three\n']) output.write(line)
    await turn()
    assert.ok(sink.take())
    assert.deepEqual(sink.taken, ['one\ntwo\nthree\n'])
    assert.ok(!sink.take())
  })

  it('keeps 4 MiB and tells once how many lines it dropped, behind the lines it kept', async () => {
    const sink = heldSink()
    const output = new LogOutput(sink)
    output.onDropped = (lines) => output.write(`dropped ${lines}\n`)
    const sent = 10_000
    for (let number = 0; number < sent; number++) output.write(LINE)
    await turn()
    while (sink.take());
    const text = sink.taken.join('')
    const kept = text.split(LINE).length - 1
    assert.equal(kept, MAX_BUFFERED / LINE.length)
    assert.ok(text.endsWith(`${LINE}dropped ${sent - kept}\n`))
    assert.equal(text.split('dropped').length - 1, 1)
  })

  it('counts the lines of a chunk that cannot be written, and tells it when writing works again', async () => {
    const sink = heldSink()
    const output = new LogOutput(sink)
    output.onDropped = (lines) => output.write(`dropped ${lines}\n`)
    output.write('one\n')
    output.write('two\n')
    await turn()
    sink.take(new Error('ENOSPC'))
    output.write('three\n')
    await turn()
    while (sink.take());
    assert.deepEqual(sink.taken, ['three\n', 'dropped 2\n'])
  })

  it('is flushed when the last line is written', async () => {
    const sink = heldSink()
    const output = new LogOutput(sink)
    let isFlushed = false
    output.write('one\n')
    output.flush(() => {
      isFlushed = true
    })
    await turn()
    assert.ok(!isFlushed)
    sink.take()
    assert.ok(isFlushed)
  })

  it('hands over what waits when the process exits', async () => {
    const sink = heldSink()
    const output = new LogOutput(sink)
    output.write('one\n')
    await turn()
    output.write('two\n')
    output.write('three\n')
    output.writeAtExit()
    assert.equal(sink.atExit, 'two\nthree\n')
  })
})
