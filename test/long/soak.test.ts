import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { get, newEmail, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { assertRefused, assertSucceeded } from '../support/envelope.ts'
import { live, newLife } from '../support/lives.ts'
import { inMegabytes, type Memory, memoryOf, WITH_MEMORY_PROBE } from '../support/memory.ts'
import { type PorticoProcess, startQuiet } from '../support/process.ts'
import { tell } from '../support/progress.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

const MINUTES = Number(process.env.SOAK_MINUTES || 30)
const SAMPLES = 30
// What is allowed between the first third of the time and the last, and is less than any leak comes to.
const MOST_HELD = 4 * 2 ** 20
const MOST_RSS = 64 * 2 ** 20

/** People come, live their lives and go; others read, and strangers are refused. */
async function passTime(portico: PorticoProcess, sink: SmtpSink, isOver: () => boolean): Promise<number> {
  let lives = 0
  let refused = 0
  while (!isOver()) {
    lives += 1
    await live(portico, sink, newLife()).catch((error) => {
      // A machine that does too much else at the same time may keep the database from answering in time.
      if (!/Service temporarily unavailable/.test(String(error))) throw error
      refused += 1
    })
    for (let number = 0; number < 10; number++) {
      assertRefused(await get(portico, '/api/user-details', { as: { accessToken: `x${number}`, sessionId: 'x' } }), 401)
      assertSucceeded(await post(portico, '/api/forgot-password', { email: newEmail() }))
      assert.equal((await get(portico, `/nowhere/${Math.random()}`)).status, 404)
      assert.equal((await get(portico, '/')).status, 200)
    }
    await setTimeout(50)
  }
  assert.ok(refused <= lives / 20, `${refused} of ${lives} were refused`)
  return lives
}

describe(`${MINUTES} minutes of traffic`, () => {
  it('leave the memory of the service as it was, on both engines', async (t) => {
    const sink = await startSmtpSink()
    cleanUp(t, () => sink.down())
    await Promise.all(
      ENGINES.map(async (engine) => {
        const env = await temporaryDatabase(t, engine)
        const portico = await startQuiet(t, { ...env, ...WITH_MEMORY_PROBE, SMTP_URL: sink.url })
        let isOver = false
        const lanes = Promise.all([1, 2].map(() => passTime(portico, sink, () => isOver)))
        const memory: Memory[] = []
        while (memory.length < SAMPLES) {
          await Promise.race([lanes, setTimeout((MINUTES * 60_000) / SAMPLES)])
          memory.push(await memoryOf(portico))
          const { held, rss } = memory.at(-1) as Memory
          tell(`${engine}: ${memory.length} of ${SAMPLES}, holds ${inMegabytes(held)} MB of ${inMegabytes(rss)} MB`)
        }
        isOver = true
        const lives = (await lanes).reduce((sum, count) => sum + count, 0)
        assert.ok(lives >= MINUTES, `only ${lives} lives`)
        // The very first samples still see what is made once.
        const early = median(memory.slice(SAMPLES / 6, SAMPLES / 3))
        const late = median(memory.slice(-SAMPLES / 6))
        tell(
          `${engine}: ${lives} lives, ${late.held - early.held} bytes held more, ${late.rss - early.rss} bytes occupied more`,
        )
        assert.ok(late.held - early.held < MOST_HELD, `it holds ${late.held - early.held} bytes more`)
        assert.ok(late.rss - early.rss < MOST_RSS, `it occupies ${late.rss - early.rss} bytes more`)
        assert.equal(await portico.stop(), 0)
      }),
    )
  })
})

function median(memory: Memory[]): Memory {
  const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  return { held: middle(memory.map(({ held }) => held)), rss: middle(memory.map(({ rss }) => rss)) }
}
