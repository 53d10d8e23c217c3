import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { cleanUp } from '../support/clean-up.ts'
import { freePort } from '../support/local-servers.ts'
import { type SmtpSink, startSmtpSink } from '../support/mail.ts'
import { report } from '../support/measuring.ts'
import { readDatabase, startQuiet } from '../support/process.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'
import { type AccountRun, assertAcknowledged, newAccountRun, runSteps } from './account-runs.ts'

const ROUNDS = Number(process.env.KILL_ROUNDS || 200)
const LANES = 6

/** Clients that create, use and delete accounts until the service is killed. */
async function runAccounts(
  service: { url: string },
  sink: SmtpSink,
  runs: AccountRun[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const run = newAccountRun()
    runs.push(run)
    try {
      await runSteps(service, sink, run, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

/** Mails that an instance had leased, by recipient. */
function leasedMails(env: Record<string, string>): Promise<string[]> {
  return readDatabase(env, async ({ query }) => {
    const rows = await query.selectFrom('outbox').select('recipient').where('attempts', '>', 0).execute()
    return rows.map(({ recipient }) => recipient)
  })
}

/** Sends the mails that are left, without waiting for the leases of killed instances. */
async function emptyOutbox(env: Record<string, string>): Promise<void> {
  await readDatabase(env, async ({ query, now }) => {
    await query.updateTable('outbox').set({ due_at: now }).execute()
    const deadline = Date.now() + 120_000
    while ((await query.selectFrom('outbox').select('id').execute()).length > 0) {
      assert.ok(Date.now() < deadline, 'the outbox is never empty')
      await setTimeout(100)
    }
  })
}

describe(`killing the service ${ROUNDS} times in the middle of writes`, () => {
  for (const engine of ENGINES) {
    it(`loses nothing that was acknowledged, on ${engine}`, async (t) => {
      const database = await temporaryDatabase(t, engine)
      const sink = await startSmtpSink()
      cleanUp(t, () => sink.down())
      const env = { ...database, SMTP_URL: sink.url, PORT: String(await freePort()) }
      const allRuns: AccountRun[] = []
      const leased = new Set<string>()
      let interrupted = 0
      let portico = await startQuiet(t, env)

      for (let round = 1; round <= ROUNDS; round++) {
        const over = new AbortController()
        const runs: AccountRun[] = []
        const lanes = Array.from({ length: LANES }, () => runAccounts(portico, sink, runs, over.signal))
        // After some acknowledgements, and then at any moment of the requests in flight.
        const enough = 1 + Math.random() * 30
        while (stepsOf(runs) < enough) await Promise.race([setTimeout(2), ...lanes])
        await setTimeout(Math.random() * 20)
        over.abort()
        assert.equal(await portico.stop('SIGKILL'), 'SIGKILL')
        await Promise.all(lanes)
        if (runs.some(({ doing }) => doing !== undefined)) interrupted += 1

        if (engine === 'sqlite') assertIntegrity(join(database.DATA_DIR ?? '', 'portico.db'))
        for (const recipient of await leasedMails(env)) leased.add(recipient)
        portico = await startQuiet(t, env)
        for (const run of runs) await assertAcknowledged(portico, run)
        await assertGone(env, runs)
        allRuns.push(...runs)
        if (round % 10 === 0) report(`${engine}: ${round} of ${ROUNDS} rounds, ${allRuns.length} people`)
      }

      await emptyOutbox(env)
      assert.equal(await portico.stop(), 0)
      const registered = allRuns.filter(({ done }) => done.has('register'))
      for (const { email } of registered) {
        const { length } = sink.mailsTo(email).filter(({ text }) => /^ {4}\d{6}$/m.test(text))
        // An instance that dies while sending a mail cannot know whether the mail was delivered.
        assert.ok(length === 1 || (length > 1 && leased.has(email)), `${email} was mailed ${length} codes`)
      }
      assert.ok(interrupted > ROUNDS / 2, `only ${interrupted} kills met a request`)
      const steps = stepsOf(allRuns)
      assert.ok(steps >= ROUNDS)
      report(`${engine}: ${steps} acknowledged steps kept, ${interrupted} kills met a request, ${leased.size} a mail`)
    })
  }
})

function stepsOf(runs: AccountRun[]): number {
  return runs.reduce((sum, { done }) => sum + done.size, 0)
}

function assertIntegrity(file: string): void {
  const database = new DatabaseSync(file)
  assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
  assert.deepEqual(database.prepare('pragma foreign_key_check').all(), [])
  database.close()
}

/** Deleted accounts have left no rows. */
async function assertGone(env: Record<string, string>, runs: AccountRun[]): Promise<void> {
  const emails = runs.filter(({ done }) => done.has('delete')).map(({ email }) => email)
  if (emails.length === 0) return
  const left = await readDatabase(env, ({ query }) =>
    query.selectFrom('users').select('email').where('email', 'in', emails).execute(),
  )
  assert.deepEqual(left, [])
}
