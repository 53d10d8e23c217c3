import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { LogOutput } from '../../src/logging/log-output.ts'

const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
const MAX_CHUNK_BYTES = 64 * 1024
const MAX_DELAY_MS = 50
// Lines are encoded in batches of 32, so that a full chunk is noticed at the end of the next batch.
const BATCH_LINES = 32
const LINE = `${'x'.repeat(1023)}\n`

/** A sink that accepts a chunk when the test resolves it. */
function manualSink() {
  const taken: string[] = []
  let pending: ((error?: Error) => void) | undefined
  return {
    taken,
    atExit: '',
    write(bytes: Buffer, done: (error?: Error) => void) {
      assert.equal(pending, undefined, 'two chunks are written at once')
      pending = (error) => {
        if (!error) taken.push(bytes.toString())
        done(error)
      }
    },
    writeAtExit(bytes: Buffer) {
      this.atExit += bytes.toString()
    },
    /** Accepts the chunk that is being written, or rejects it. Returns whether there was one. */
    take(error?: Error): boolean {
      const finish = pending
      pending = undefined
      finish?.(error)
      return finish !== undefined
    },
  }
}

/** An output whose timers the test advances. */
function manualOutput(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const sink = manualSink()
  const output = new LogOutput(sink)
  output.onDropped = (lines) => output.write(`dropped ${lines}\n`)
  return { sink, output, pass: (milliseconds: number) => t.mock.timers.tick(milliseconds) }
}

describe('the output of the log', () => {
  it('writes the lines of 50 ms together, in order', (t) => {
    const { sink, output, pass } = manualOutput(t)
    output.write('one\n')
    pass(MAX_DELAY_MS - 1)
    output.write('two\n')
    assert.ok(!sink.take(), 'nothing is written yet')
    pass(1)
    output.write('three\n')
    assert.ok(sink.take())
    assert.ok(!sink.take(), 'what came during the write waits for its own 50 ms')
    pass(MAX_DELAY_MS)
    assert.ok(sink.take())
    assert.deepEqual(sink.taken, ['one\ntwo\n', 'three\n'])
    assert.ok(!sink.take())
  })

  it('writes a full chunk of 64 KiB without delay', (t) => {
    const { sink, output, pass } = manualOutput(t)
    const chunkLines = MAX_CHUNK_BYTES / LINE.length
    for (let number = 0; number < chunkLines + BATCH_LINES - 1; number++) output.write(LINE)
    assert.ok(!sink.take())
    output.write(LINE)
    assert.ok(sink.take())
    assert.ok(!sink.take())
    pass(MAX_DELAY_MS)
    assert.ok(sink.take())
    assert.deepEqual(sink.taken, [LINE.repeat(chunkLines), LINE.repeat(BATCH_LINES)])
  })

  it('writes the lines that arrive while a chunk is written 50 ms after it', (t) => {
    const { sink, output, pass } = manualOutput(t)
    output.write('one\n')
    pass(MAX_DELAY_MS)
    output.write('two\n')
    pass(MAX_DELAY_MS)
    assert.ok(sink.take())
    pass(MAX_DELAY_MS)
    assert.ok(sink.take())
    assert.deepEqual(sink.taken, ['one\n', 'two\n'])
  })

  it('writes characters of several bytes, and lines that are longer than a chunk', (t) => {
    const { sink, output, pass } = manualOutput(t)
    const lines = [
      'é\n',
      `${'€'.repeat(MAX_CHUNK_BYTES / 3)}\n`,
      'after\n',
      `${'x'.repeat(2 * MAX_CHUNK_BYTES)}\n`,
      '𝄞\n',
    ]
    for (const round of [1, 2]) {
      for (const line of lines) output.write(line)
      pass(MAX_DELAY_MS)
      while (sink.take()) pass(MAX_DELAY_MS)
      assert.equal(sink.taken.join(''), lines.join('').repeat(round))
    }
  })

  it('buffers 4 MiB and reports once how many lines it dropped, after the buffered lines', (t) => {
    const { sink, output, pass } = manualOutput(t)
    const sent = 320 * BATCH_LINES
    for (let number = 0; number < sent; number++) output.write(LINE)
    while (sink.take()) pass(MAX_DELAY_MS)
    const text = sink.taken.join('')
    const kept = text.split(LINE).length - 1
    assert.equal(kept, MAX_BUFFERED_BYTES / LINE.length)
    assert.ok(text.endsWith(`${LINE}dropped ${sent - kept}\n`))
    assert.equal(text.split('dropped').length - 1, 1)
  })

  it('keeps the number of dropped lines when later lines take the space of the notice', (t) => {
    const { sink, output, pass } = manualOutput(t)
    const sent = MAX_BUFFERED_BYTES / LINE.length + 28 * BATCH_LINES
    for (let number = 0; number < sent; number++) output.write(LINE)
    // The first chunk leaves 64 KiB. These lines take all of it but a few bytes.
    const later = (characters: number) => output.write(`${'y'.repeat(characters - 1)}\n`)
    for (let number = 0; number < 29; number++) later(2185)
    later(2165)
    while (sink.take()) pass(MAX_DELAY_MS)
    assert.match(sink.taken.join(''), /dropped 896\n/)
  })

  it('counts the lines of a chunk that cannot be written, and reports the count when writing works again', (t) => {
    const { sink, output, pass } = manualOutput(t)
    output.write('one\n')
    output.write('two\n')
    pass(MAX_DELAY_MS)
    sink.take(new Error('ENOSPC'))
    output.write('three\n')
    pass(MAX_DELAY_MS)
    while (sink.take()) pass(MAX_DELAY_MS)
    assert.deepEqual(sink.taken, ['three\n', 'dropped 2\n'])
  })

  it('writes without delay for a flush, and is flushed when the last line is written', (t) => {
    const { sink, output } = manualOutput(t)
    let isFlushed = false
    output.write('one\n')
    output.flush(() => {
      isFlushed = true
    })
    output.write('two\n')
    assert.ok(sink.take())
    assert.ok(!isFlushed)
    assert.ok(sink.take())
    assert.ok(isFlushed)
    assert.deepEqual(sink.taken, ['one\n', 'two\n'])
  })

  it('writes the buffered lines when the process exits', (t) => {
    const { sink, output, pass } = manualOutput(t)
    output.write('one\n')
    pass(MAX_DELAY_MS)
    output.write('two\n')
    output.write('three\n')
    output.writeAtExit()
    assert.equal(sink.atExit, 'two\nthree\n')
  })
})
