import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/clean-up.ts'
import { report } from '../support/measuring.ts'
import { readDatabase, runPortico } from '../support/process.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'
import { seededDatabase } from './seeded-database.ts'

const FEW = 100_000
const MANY = Number(process.env.BACKUP_ACCOUNTS || 1_000_000)
const SESSIONS_PER_ACCOUNT = 3
// The cache of SQLite during a restore has up to 256 MiB. The memory of everything else does not depend on the accounts.
const MAX_PEAK_MIB = { backup: 320, restore: 640 }

// The process prints /proc/self/status at its end. `maxRSS` of getrusage(2) would include the memory of the parent.
const PRINT_STATUS = `
  import { readFileSync } from 'node:fs'
  process.on('exit', () => process.stderr.write(readFileSync('/proc/self/status')))
`
const WITH_STATUS = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRINT_STATUS)}` }

describe('a backup of a large database', () => {
  for (const engine of ENGINES) {
    const other = engine === 'sqlite' ? 'postgres' : 'sqlite'
    it(`of ${engine}, restored to ${other}, has the same bound of memory for ${FEW} and for ${MANY} accounts`, async (t) => {
      for (const accounts of [FEW, MANY]) {
        const source = await seededDatabase(t, engine, accounts)
        const target = await temporaryDatabase(t, other)
        const file = join(await temporaryFolder(t), 'site.backup')
        const run = async (command: keyof typeof MAX_PEAK_MIB, env: Record<string, string>) => {
          const { code, stdout, stderr } = await runPortico(t, [command, file, '--json'], {
            env: { ...env, ...WITH_STATUS },
          })
          assert.equal(code, 0, stderr)
          const { seconds, bytes, rows } = JSON.parse(stdout)
          assert.ok(rows >= accounts * (1 + SESSIONS_PER_ACCOUNT))
          const megabytes = Math.round(Number(/VmHWM:\s+(\d+)/.exec(stderr)?.[1]) / 1024)
          report(
            `${command}, ${engine} to ${other}, ${accounts} accounts: ${seconds} s, peak ${megabytes} MiB, file ${bytes}`,
          )
          assert.ok(megabytes < MAX_PEAK_MIB[command], `the peak of ${command} is ${megabytes} MiB`)
        }
        await run('backup', source)
        await run('restore', target)
        await readDatabase(target, async ({ query }) => {
          const count = query.selectFrom('users').select((eb) => eb.fn.countAll().as('count'))
          assert.equal(Number((await count.executeTakeFirstOrThrow()).count), accounts)
        })
      }
    })
  }
})
