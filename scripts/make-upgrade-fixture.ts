// `npm run fixture v0.1.0`: writes the database of a released version to test/fixtures/databases, for both engines, as SQL
// text beside a JSON file with the tokens and passwords of its accounts. The accounts are made through the API of that
// version, whose source is taken from its tag. test/api/upgrade-from-releases.test.ts upgrades all fixtures.
import { mkdir, writeFile } from 'node:fs/promises'
import { logIn, post, registration } from '../test/support/api.ts'
import { cleanUp, manualCleanUp } from '../test/support/clean-up.ts'
import { startCodeHost } from '../test/support/code-host.ts'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'
import { checkOutRelease, startRelease } from '../test/support/older-versions.ts'
import { logInOnPages } from '../test/support/page-visitor.ts'
import { newAvatar } from '../test/support/pictures.ts'
import { signUpAt } from '../test/support/process.ts'
import { failLogIn } from '../test/support/rate-limits.ts'
import { ENGINES, type EngineName, temporaryDatabase } from '../test/support/service.ts'
import { signedIn } from '../test/support/sign-in-steps.ts'
import { FIXTURES, fixtureFile, openRaw, type UpgradeFixture } from '../test/support/upgrade-fixtures.ts'

const BASE_URL = 'http://localhost:3000'
const BIO = 'Wrote the first program.'

async function make(tag: string, folder: string, engine: EngineName): Promise<void> {
  const { owner, run: cleanUpAll } = manualCleanUp()
  try {
    const codehost = await startCodeHost()
    cleanUp(owner, () => codehost.close())
    const database = await temporaryDatabase(owner, engine)
    const env = { ...database, BASE_URL, NODE_ENV: 'development', CONTENT_DIR: `${database.DATA_DIR}/content` }

    const first = await startRelease(owner, folder, { ...env, ...codehost.settings })
    const ada = await signUpAt(first)
    await post(first, '/api/user-details', { bio: BIO }, { as: ada })
    const avatar = await newAvatar(first, ada)
    const { cookies } = await logInOnPages(first, ada.email)
    const ended = await logIn(first, ada)
    await post(first, '/api/auth/logout', undefined, { as: ended })
    await failLogIn(first, ada.email)
    const subject = codehost.people.admit({ firstName: 'Grace', lastName: 'Hopper', username: 'grace' })
    const grace = await signedIn(first, codehost, subject)
    await first.stop()

    // No mail server listens at this port: the mail stays in the outbox.
    const second = await startRelease(owner, folder, { ...env, SMTP_URL: 'smtp://127.0.0.1:9' })
    const { email, password, ...names } = registration({ firstName: 'Alan', lastName: 'Turing' })
    await post(second, '/api/create-account', { ...names, email, password })
    await second.stop()

    const raw = await openRaw(env)
    const { tables, rows, constraints, indexes } = await raw.dump()
    await raw.close()
    const [cookie = ''] = [...cookies].map(([name, value]) => `${name}=${value}`)
    const fixture: UpgradeFixture = {
      madeAt: Date.now(),
      baseUrl: BASE_URL,
      ada: { ...ada, bio: BIO, avatar, cookie },
      grace: { ...grace, subject, provider: codehost.settings },
      alan: { email, password },
    }
    await mkdir(FIXTURES, { recursive: true })
    const statements = [...tables, ...rows, ...constraints, ...indexes]
    await writeFile(fixtureFile(tag, engine, 'sql'), `${statements.map((sql) => `${sql};`).join('\n')}\n`)
    await writeFile(fixtureFile(tag, engine, 'json'), `${JSON.stringify(fixture, null, 2)}\n`)
    process.stdout.write(`${fixtureFile(tag, engine, 'sql')}: ${statements.length} statements\n`)
  } finally {
    await cleanUpAll()
  }
}

const [tag] = process.argv.slice(2)
if (!tag) throw new Error('usage: npm run fixture v<version>')
await globalSetup()
const { owner, run: cleanUpAll } = manualCleanUp()
try {
  const folder = await checkOutRelease(owner, tag)
  for (const engine of ENGINES) await make(tag, folder, engine)
} finally {
  await cleanUpAll()
  await globalTeardown()
}
