import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { crowd } from '../support/accounts.ts'
import { assertSucceeded, del, PASSWORD, type Person, post } from '../support/api.ts'
import { trace } from '../support/child.ts'
import { cleanUp } from '../support/clean-up.ts'
import { report } from '../support/measuring.ts'
import { startQuiet } from '../support/process.ts'
import { freshDatabase, startOn } from '../support/service.ts'
import { afterPowerCut, RECORDING, readRecording } from './recorded-disk.ts'

const PEOPLE = 24
const WRITES_EACH = Number(process.env.POWER_CUT_WRITES || 100)
const IMAGES = Number(process.env.POWER_CUT_IMAGES || 200)

interface Acknowledged {
  at: number
  person: Person
  /** The written value, or undefined for the deletion of the account. */
  bio: number | undefined
}

/** Every client writes one number after the other, and every fourth deletes its account in the end. */
async function write(portico: { url: string }, people: Person[]): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = []
  // The clock of the recording is finer.
  const note = (person: Person, bio?: number) => acknowledged.push({ at: Date.now() + 1, person, bio })
  await Promise.all(
    people.map(async (person, number) => {
      for (let bio = 1; bio <= WRITES_EACH; bio++) {
        assertSucceeded(await post(portico, '/api/user-details', { bio: `${bio}` }, { as: person }))
        note(person, bio)
      }
      if (number % 4 > 0) return
      assertSucceeded(await del(portico, '/api/delete-user', { password: PASSWORD }, { as: person }))
      note(person)
    }),
  )
  return acknowledged
}

/** The database is intact, and has everything that was acknowledged before the power cut. */
function assertContains(file: string, acknowledged: Acknowledged[]): void {
  const database = new DatabaseSync(file)
  try {
    assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    const rows = database.prepare('select id, bio from users').all()
    const bios = new Map(rows.map(({ id, bio }) => [String(id), Number(bio)]))
    const hasWrittenAll = new Set(acknowledged.filter(({ bio }) => bio === WRITES_EACH).map(({ person }) => person))
    for (const { person, bio } of acknowledged) {
      const found = bios.get(person.userId)
      if (bio === undefined) assert.equal(found, undefined, 'an account is back')
      // Later writes may be there too, and so may a deletion that comes after the last one.
      else if (found === undefined) assert.ok(hasWrittenAll.has(person), 'an account is lost')
      else assert.ok(found >= bio, `${found} instead of ${bio}`)
    }
  } finally {
    database.close()
  }
}

describe(`a power cut at ${IMAGES} moments of ${PEOPLE * WRITES_EACH} writes to SQLite`, () => {
  it('loses no write that was acknowledged, and leaves the database intact', async (t) => {
    const database = await freshDatabase('sqlite')
    cleanUp(t, () => database.drop())
    const folder = await mkdtemp(join(tmpdir(), 'portico-power-cut-'))
    cleanUp(t, () => rm(folder, { recursive: true }))
    const env = { ...database.env, BASE_URL: 'http://localhost:3000' }
    const preparing = await startOn(env)
    const people = await crowd(preparing, PEOPLE).finally(() => preparing.close())
    const portico = await startQuiet(t, env)
    const file = join(database.env.DATA_DIR ?? '', 'portico.db')
    const parts = [file, `${file}-wal`]
    const recording = join(folder, 'calls')
    const { stop } = await trace(t, portico.child.pid as number, recording, [
      ...RECORDING,
      ...parts.flatMap((part) => ['-P', part]),
    ])
    const initial = await Promise.all(parts.map((part) => readFile(part)))

    const acknowledged = await write(portico, people)
    await stop()
    assert.equal(await portico.stop(), 0)
    const calls = await readRecording(recording)
    const flushes = calls.filter(({ change }) => !change).length
    report(`${acknowledged.length} acknowledged, ${calls.length - flushes} changes and ${flushes} flushes recorded`)
    assert.ok(flushes > 10)

    const byPart = parts.map((part) => calls.filter((call) => call.file === part))
    const [first, last] = [calls[0]?.entered ?? 0, calls.at(-1)?.left ?? 0]
    for (let image = 0; image < IMAGES; image++) {
      // Right after an acknowledgement, or at any moment.
      const some = acknowledged[Math.floor(Math.random() * acknowledged.length)]
      const cutAt = image % 2 ? (some?.at ?? 0) : first + Math.random() * (last - first)
      const probability = [0, 1, 0.5, 0.9][image % 4] ?? 0
      const cut = join(folder, 'cut.db')
      await rm(`${cut}-shm`, { force: true })
      for (const [index, suffix] of ['', '-wal'].entries()) {
        const content = afterPowerCut(initial[index] ?? Buffer.alloc(0), byPart[index] ?? [], cutAt, probability)
        await writeFile(`${cut}${suffix}`, content)
      }
      const known = acknowledged.filter(({ at }) => at <= cutAt)
      assertContains(cut, known)
    }
    report(`${IMAGES} images are whole`)
  })
})
