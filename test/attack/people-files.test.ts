import assert from 'node:assert/strict'
import { truncate, writeFile } from 'node:fs/promises'
import { afterEach, describe, it, type TestContext } from 'node:test'
import { verifyPassword } from '../../src/accounts/password-hash.ts'
import { betterAuthHash } from '../../src/people/foreign-hash.ts'
import { openPeople, peopleIn } from '../../src/people/read-people.ts'
import { FileFault, MAX_ITEM_BYTES } from '../../src/people/text-file.ts'
import { signUpOwner } from '../support/owners.ts'
import { logInOnPages } from '../support/page-visitor.ts'
import { exported, fileWith, importFile } from '../support/people-files.ts'
import { onBothEngines } from '../support/service.ts'

const GOOD = '{"email":"good@example.com","emailVerified":true}'
const GIB = 1024 ** 3
const DEEP = 100_000

/** Lines that are refused, each with its reason. */
const BAD_LINES: [what: string, line: string | Uint8Array, reason: RegExp][] = [
  ['a prototype', '{"email":"a@example.com","__proto__":{"role":"owner"}}', /unknown field "__proto__"/],
  ['a constructor', '{"email":"a@example.com","constructor":{"prototype":{"x":1}}}', /unknown field "constructor"/],
  ['deep arrays', `{"email":"a@example.com","socialAccounts":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`, /must be/i],
  ['deep objects', `{"email":"a@example.com","bio":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}`, /Bio must be/],
  ['cut-off JSON', '{"email":"a@example.com"', /not valid JSON/],
  ['an array', '["a@example.com"]', /not a JSON object/],
  ['bytes that are not UTF-8', Buffer.from('7b22656d61696c223a22ff227d', 'hex'), /not valid UTF-8/],
  ['half a character', String.raw`{"email":"a@example.com","bio":"\ud800"}`, /lone surrogates/],
  ['a NUL', String.raw`{"email":"a@example.com","bio":"\u0000"}`, /Bio/],
  ['an escape sequence', String.raw`{"email":"a@example.com","firstName":"\u001b[31m"}`, /First name/],
  ['a line break in a name', String.raw`{"email":"a@example.com","firstName":"a\nBcc: b"}`, /First name/],
  ['a Kelvin sign', '{"email":"a@\u212aexample.com"}', /valid e-mail address/],
  ['two addresses', '{"email":"a@example.com,b@example.com"}', /valid e-mail address/],
  ['an address of another type', '{"email":["a@example.com"]}', /valid e-mail address/],
  ['a script as avatar', '{"email":"a@example.com","avatar":"javascript:alert(1)"}', /http or https/],
  ['an unknown role', '{"email":"a@example.com","role":"admin"}', /Role/],
  ['a creation in the future', '{"email":"a@example.com","createdAt":"2999-01-01"}', /in the future/],
  ['a day that does not exist', '{"email":"a@example.com","createdAt":"2025-02-30"}', /no date/],
  ['an id of another form', '{"email":"a@example.com","id":"../../etc/passwd"}', /UUID/],
  ['too many identities', `{"email":"a@example.com","identities":[${Array(21).fill('{}')}]}`, /entries/],
]

async function assertEndsEarly(t: TestContext, beginning: string): Promise<void> {
  const path = await fileWith(t, beginning)
  await truncate(path, GIB)
  let read = 0
  const onRead = (bytes: number) => {
    read = bytes
  }
  const file = await openPeople(path, 'ndjson')
  const people = Array.fromAsync(peopleIn(file, undefined, onRead))
  await assert.rejects(people, (error) => error instanceof FileFault && /Line 1 is longer/.test(error.message))
  assert.ok(read < 2 * MAX_ITEM_BYTES, `${read} bytes were read`)
}

describe('a hostile file of people', () => {
  onBothEngines((service) => {
    const users = () => service.portico.database.query.selectFrom('users').selectAll().orderBy('email').execute()
    afterEach(() => service.portico.database.query.deleteFrom('users').execute())

    it('with bad lines is refused by the line, and the good lines between them are imported', async (t) => {
      const lines = BAD_LINES.flatMap(([, line]) => [Buffer.from(line), Buffer.from('\n')])
      const path = await fileWith(t, Buffer.concat([...lines, Buffer.from(`${GOOD}\n`)]))
      const { imported, refused, remarks } = await importFile(service, path, { from: 'ndjson' })
      assert.deepEqual([imported, refused], [1, BAD_LINES.length])
      for (const [index, [what, , reason]] of BAD_LINES.entries()) {
        assert.equal(remarks[index]?.line, index + 1)
        assert.match(remarks[index]?.reason ?? '', reason, what)
      }
      assert.deepEqual(
        (await users()).map(({ email }) => email),
        ['good@example.com'],
      )
      assert.equal(({} as { role?: string }).role, undefined)
    })

    it('makes nobody an owner, reserves no name and takes no address of somebody else', async (t) => {
      const first = '{"email":"a@example.com","emailVerified":true,"username":"Admin","role":"owner"}'
      const again = '{"email":"A@example.com","emailVerified":true,"firstName":"Other","role":"owner"}'
      const path = await fileWith(t, `${first}\n${again}\n${again}\n`)
      const { imported, alreadyHere, ownersAsMembers, renamed } = await importFile(service, path)
      assert.deepEqual([imported, alreadyHere, ownersAsMembers, renamed], [1, 2, 1, 1])
      const [person] = await users()
      assert.deepEqual([person?.role, person?.first_name], ['member', 'a'])
      assert.notEqual(person?.username_key, 'admin')
    })

    it('makes no unverified person an owner, even if roles are wanted', async (t) => {
      const path = await fileWith(t, '{"email":"a@example.com","role":"owner"}')
      await importFile(service, path, { withRoles: true })
      assert.equal((await users())[0]?.role, 'member')
    })

    it('that is cut in the middle of a list has imported the people before', async (t) => {
      const path = await fileWith(t, `[${GOOD},{"email":"cut@exa`)
      await assert.rejects(importFile(service, path, { from: 'ndjson' }), /ends in the middle of a list/)
      assert.equal((await users()).length, 1)
    })

    it('puts no HTML into the tables of the owner’s desk', async (t) => {
      const desk = await logInOnPages(service, (await signUpOwner(service)).email)
      const [email, html] = ['html@example.com', '</td><script>a</script>']
      await importFile(
        service,
        await fileWith(t, JSON.stringify({ email, firstName: html, lastName: html, bio: html })),
      )
      for (const path of ['/owner/people', '/owner/audit']) {
        const { status, body } = await desk.get(path)
        assert.equal(status, 200)
        assert.doesNotMatch(body, /<script>a/)
        assert.ok(body.includes(path === '/owner/people' ? '&lt;script&gt;' : 'Imported people'), path)
      }
    })

    it('puts no formula into an exported table', async (t) => {
      const formula = `=cmd|' /C calc'!A0`
      const path = await fileWith(
        t,
        JSON.stringify({ email: '=1@example.com', firstName: formula, bio: `\t${formula}` }),
      )
      await importFile(service, path)
      const cells = (await exported(service, 'csv')).split('\r\n')[1] ?? ''
      assert.ok(
        cells.includes(`,'=1@example.com,`) && cells.includes(`,'${formula},`) && cells.includes(`,'\t${formula},`),
      )
    })
  })

  it('with a line, row or element of a gigabyte is refused after the first MiB', async (t) => {
    for (const beginning of ['{"email":"', '[{"email":"', '{"users":[{"email":"', '{"users":[], "', 'email,"']) {
      await assertEndsEarly(t, beginning)
    }
  })

  it('in CSV has no column twice, and no column that is a property of every object', async (t) => {
    const read = async (content: string) =>
      Array.fromAsync(peopleIn(await openPeople(await fileWith(t, content), 'csv'), undefined, () => {}))
    await assert.rejects(read('email,role,role\na@example.com,member,owner\n'), /the column "role" twice/)
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const [person] = await read(`email,${name}\na@example.com,x\n`)
      assert.match(String(person?.value), new RegExp(`unknown field "${name}"`))
    }
    await assert.rejects(
      read(`email\n"${`${'a'.repeat(999)}\n`.repeat(MAX_ITEM_BYTES / 1000 + 1)}`),
      /Line 2 is longer/,
    )
  })

  it('in CSV with 190,000 columns is read in a time that grows with their number, not with its square', async (t) => {
    const columns = Array.from({ length: 190_000 }, (_, index) => index.toString(36))
    const path = await fileWith(t, `${columns}\n${columns}\n`)
    const people = await Array.fromAsync(peopleIn(await openPeople(path, 'csv'), undefined, () => {}))
    assert.match(String(people[0]?.value), /unknown field/)
  })

  it('of better-auth gives nobody the password of somebody else, whatever the ids are', async (t) => {
    const hashOf = (digit: string) => `${digit.repeat(32)}:${digit.repeat(128)}`
    const read = async (ids: unknown[]) => {
      const user = ids.map((id) => ({ id, email: 'a@example.com' }))
      const account = ids.map((userId, index) => ({ userId, providerId: 'credential', password: hashOf(`${index}`) }))
      const path = await fileWith(t, JSON.stringify({ user, account }))
      const people = await Array.fromAsync(peopleIn(await openPeople(path, 'better-auth'), undefined, () => {}))
      return people.map(({ value }) => (value instanceof Error ? undefined : value.hash?.()))
    }
    const own = [0, 1].map((digit) => betterAuthHash(hashOf(`${digit}`)))
    assert.deepEqual(await read([7, 8]), own)
    assert.deepEqual(await read(['7', '8']), own)
    for (const id of [undefined, null, '', {}, ['7']])
      assert.deepEqual(await read([id, id]), [undefined, undefined], JSON.stringify(id))
  })

  it('that a spreadsheet program has saved, with TRUE in capitals, suspends whom the other system has banned', async (t) => {
    const path = await fileWith(t, 'email,emailVerified,banned\na@example.com,TRUE,TRUE\n')
    const [person] = await Array.fromAsync(peopleIn(await openPeople(path, 'better-auth'), undefined, () => {}))
    assert.ok(person && !(person.value instanceof Error))
    const { emailVerified, suspendedUntil } = person.value.record
    assert.deepEqual([emailVerified, suspendedUntil], [true, '9999-12-31T00:00:00.000Z'])
  })

  it('has no hash that would make a log-in fail with an error of the service', async () => {
    const of = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64').replaceAll('=', '')
    const hashes = [
      ...[
        'ln=15,r=1,p=1',
        'ln=16,r=1,p=1',
        'ln=17,r=1,p=1',
        'ln=1,r=524288,p=1',
        'ln=3,r=1024,p=1',
        'ln=3,r=1,p=9',
      ].flatMap((cost) => [`$scrypt$${cost}$${of(1)}$${of(16)}`, `$scrypt-nfkc$${cost}$${of(128)}$${of(128)}`]),
      ...[1, 7, 8, 128].map((salt) => `$argon2i$v=19$m=128,t=1,p=16$${of(salt)}$${of(16)}`),
      ...['m=8,t=1,p=1', 'm=8,t=0,p=1', 'm=7,t=9,p=1', 'm=16,t=1,p=0'].map(
        (cost) => `$argon2id$v=19$${cost}$${of(8)}$${of(128)}`,
      ),
      ...['sha1', 'sha512'].flatMap((digest) => [0, 1].map((i) => `$pbkdf2-${digest}$i=${i}$${of(1)}$${of(128)}`)),
      ...['03', '04', '00', '99'].map((cost) => `$2b$${cost}$${'9'.repeat(22)}${'a'.repeat(31)}`),
    ]
    for (const hash of hashes) assert.equal(await verifyPassword('x'.repeat(1024), hash), false, hash)
  })

  it('that is no file of people changes nothing', async (t) => {
    for (const content of ['', 'plain text', '{}', '[]', '<html></html>', '{"a":1}']) {
      await assert.rejects(openPeople(await fileWith(t, content), undefined), FileFault, content)
    }
    const path = await fileWith(t, '')
    await writeFile(path, Buffer.alloc(10))
    await assert.rejects(openPeople(path, undefined), FileFault)
  })
})
