import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { deskPages } from '../../src/pages/owner/desk-pages.ts'
import { assertAlive, assertEnded, tryLogIn } from '../support/accounts.ts'
import { assertSucceeded, PASSWORD, type Person, post, signUp } from '../support/api.ts'
import { makeOwner, signUpOwner } from '../support/owners.ts'
import { fieldError, logInOnPages, type PageResponse, PageVisitor } from '../support/page-visitor.ts'
import { addPasskey } from '../support/passkeys.ts'
import { onBothEngines } from '../support/service.ts'

const personPath = ({ userId }: Pick<Person, 'userId'>) => `/owner/person?userId=${userId}`

describe('the pages of the owner’s desk', () => {
  onBothEngines((service) => {
    async function openDesk(): Promise<PageVisitor> {
      return logInOnPages(service, (await signUpOwner(service)).email)
    }

    /** Sends a form that is accepted, and returns the page that it leads to. */
    async function change(desk: PageVisitor, path: string, form: string, fields = {}): Promise<PageResponse> {
      const { status, location, body } = await desk.submit(path, form, fields)
      assert.equal(status, 303, body)
      return desk.get(location)
    }

    it('do not exist for strangers and members, whatever they send', async () => {
      const person = await signUp(service)
      for (const visitor of [new PageVisitor(service), await logInOnPages(service, person.email)]) {
        const unknown = await visitor.get('/no-such-page')
        const unknownForm = await visitor.submit('/no-such-page', 'delete')
        assert.equal(unknown.status, 404)
        const paths = deskPages(service.portico).flatMap(({ path }) => [path, `${path}.md`])
        for (const path of ['/owner', ...paths, personPath(person)]) {
          assertSame(await visitor.get(path, { accept: 'text/html' }), unknown)
          assertSame(await visitor.submit(path, 'delete', { email: person.email }), unknownForm)
          const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
          assertSame(await visitor.submit(path, 'delete', { email: person.email }, foreign), unknownForm)
        }
      }
      await assertAlive(service, person)
    })

    it('are in the menu of owners alone', async () => {
      const desk = await openDesk()
      assert.match((await desk.get('/account')).body, /href="\/owner">Owner’s desk</)
      const member = await logInOnPages(service, (await signUp(service)).email)
      assert.doesNotMatch((await member.get('/account')).body, /\/owner/)
    })

    it('find people, in pages, and say what to do when there is nobody', async () => {
      const desk = await openDesk()
      const mark = `q${randomUUID().slice(0, 8)}`
      const [one, other] = [await signUp(service, { lastName: mark }), await signUp(service, { lastName: mark })]
      const first = await desk.get(`/owner/people?search=${mark}&limit=1`)
      const next = /rel="next" href="([^"]*)"/.exec(first.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const second = await desk.get(next)
      const found = [first, second].map(({ body }) => /userId=([0-9a-f-]{36})/.exec(body)?.[1])
      assert.deepEqual(found.toSorted(), [one.userId, other.userId].toSorted())
      assert.doesNotMatch(second.body, /rel="next"/)
      const nobody = await desk.get(`/owner/people?search=${mark}&filter=suspended`)
      assert.match(nobody.body, /Nobody was found for/)
    })

    it('suspend a person, lift it, change the role and delete the person', async () => {
      const desk = await openDesk()
      const person = await signUp(service)
      const path = personPath(person)
      const past = await desk.submit(path, 'suspend', { period: '7', until: '2020-01-01', reason: 'x' })
      assert.equal(past.status, 400)
      assert.equal(fieldError(past.body, 'until'), 'Until must be in the future')
      await assertAlive(service, person)

      const suspended = await change(desk, path, 'suspend', { period: '7', until: '', reason: 'Advertising' })
      assert.match(suspended.body, /The person is suspended/)
      assert.match(suspended.body, /class="badge bad">Suspended until 20\d\d-\d\d-\d\d</)
      await assertEnded(service, person)
      const refused = await new PageVisitor(service).submit('/log-in', 'log-in', {
        email: person.email,
        password: PASSWORD,
      })
      assert.match(refused.body, /Your account is suspended until [^.]* UTC\. The reason: Advertising\./)
      assert.doesNotMatch(refused.body, /We mailed you a code/)

      assert.doesNotMatch((await change(desk, path, 'lift')).body, /class="badge bad"/)
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))

      assert.match((await change(desk, path, 'role', { role: 'owner' })).body, /class="badge accent">Owner</)
      await change(desk, path, 'role', { role: 'member' })
      assert.equal((await (await logInOnPages(service, person.email)).get('/owner/people')).status, 404)

      const wrong = await desk.submit(path, 'delete', { email: 'other@example.com' })
      assert.equal(fieldError(wrong.body, 'email'), 'Email must be the address of the person')
      assert.match((await change(desk, path, 'delete', { email: person.email })).body, /The person and everything/)
      assert.equal((await desk.get(path)).status, 404)

      const { body } = await desk.get(`/owner/audit?userId=${person.userId}`)
      assert.match(body, /Deleted a person[\s\S]*Suspended a person<\/strong><br>.*reason: Advertising/)
    })

    it('help a person: sign out, rename, mail a reset, remove factors; add one, and verify one', async () => {
      const desk = await openDesk()
      const person = await signUp(service)
      const path = personPath(person)
      await addPasskey(service, person)
      await change(desk, path, 'reset-factors')
      await assertEnded(service, person)
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD))
      assert.match((await change(desk, path, 'end-sessions')).body, /Signed in on no device/)
      const username = `renamed-${randomUUID().slice(0, 8)}`
      assert.ok((await change(desk, path, 'rename', { username })).body.includes(username))
      assert.match((await change(desk, path, 'reset-mail')).body, /on its way to the person/)

      const email = `${randomUUID()}@example.com`
      const created = await change(desk, '/owner/people/new', 'create', { email, firstName: 'Ada', lastName: '' })
      assert.match(created.body, /<h1><bdi>Ada<\/bdi>/)
      const taken = await desk.submit('/owner/people/new', 'create', { email, firstName: 'Ada', lastName: '' })
      assert.equal(taken.status, 409)

      const unverified = { email: `${randomUUID()}@example.com`, password: PASSWORD, confirmPassword: PASSWORD }
      await post(service, '/api/create-account', { ...unverified, firstName: 'Alan', lastName: 'Turing' })
      const found = await desk.get(`/owner/people?search=${unverified.email}`)
      const link = /href="(\/owner\/person\?userId=[^"]*)"/.exec(found.body)?.[1] ?? ''
      assert.doesNotMatch((await desk.get(link)).body, /value="(suspend|role)"/)
      await change(desk, link, 'verify')
      assertSucceeded(await tryLogIn(service, unverified.email, PASSWORD))
    })

    it('refuse forms of another site', async () => {
      const desk = await openDesk()
      const person = await signUp(service)
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      const refused = await desk.submit(personPath(person), 'delete', { email: person.email }, foreign)
      assert.equal(refused.status, 403)
      await assertAlive(service, person)
    })

    it('ask for a recent proof before what destroys, and lead back to the person', async () => {
      const desk = await openDesk()
      const person = await signUp(service)
      await service.advanceTime({ hours: 1 })
      const refused = await desk.submit(personPath(person), 'delete', { email: person.email })
      const confirm = `/account/confirm?${new URLSearchParams({ return_to: personPath(person) })}`
      assert.deepEqual([refused.status, refused.location], [303, confirm])
      const proven = await desk.submit(confirm, 'password', { password: PASSWORD })
      assert.equal(proven.location, personPath(person))
      await change(desk, personPath(person), 'delete', { email: person.email })
    })

    it('need the passkey of an account that has one, once in a session', async () => {
      const owner = await signUpOwner(service)
      const passkey = await addPasskey(service, owner)
      const desk = await logInOnPages(service, owner.email)
      const { location } = await desk.get('/owner/people?filter=owners')
      const confirm = '/account/confirm?return_to=%2Fowner%2Fpeople%3Ffilter%3Downers&with=second-factor'
      assert.equal(location, confirm)
      assert.doesNotMatch((await desk.get(confirm)).body, /type="password"/)
      const { options } = JSON.parse((await desk.post('/account/confirm/passkey-options')).body)
      const proven = await desk.submit(confirm, 'passkey', { passkey: JSON.stringify(passkey.get(options)) })
      assert.equal(proven.location, '/owner/people?filter=owners')
      assert.equal((await desk.get(proven.location)).status, 200)
    })

    it('end with the role, also for the owner who gives it up', async () => {
      const [owner, other] = [await signUpOwner(service), await signUpOwner(service)]
      const desk = await logInOnPages(service, owner.email)
      const done = await desk.submit(personPath(owner), 'role', { role: 'member' })
      assert.deepEqual([done.status, done.location], [303, '/account'])
      assert.equal((await desk.submit(personPath(other), 'role', { role: 'member' })).status, 404)
    })

    it('show names, reasons and searches as text in its own direction', async () => {
      const desk = await openDesk()
      const mark = randomUUID().slice(0, 8)
      const person = await signUp(service, {
        firstName: `${mark}\u202e<img src=x>`,
        lastName: '</title><script>a</script>',
      })
      await makeOwner(service, person)
      const reason = '"><svg onload=a>\u2066'
      await change(desk, personPath(person), 'suspend', { period: '1', until: '', reason })
      for (const path of [
        `/owner/people?search=${mark}`,
        `/owner/people?search=${encodeURIComponent('"><script>a</script>')}`,
        personPath(person),
        `/owner/audit?userId=${person.userId}`,
      ]) {
        const { body, headers, status } = await desk.get(path)
        assert.equal(status, 200)
        assert.doesNotMatch(body, /<script>|<img src=x|<svg onload|style="|[\u202e\u2066]/, path)
        assert.equal(headers.get('cache-control'), 'no-store')
        assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
      }
    })

    it('are markdown for agents, with the calls of the API', async () => {
      const desk = await openDesk()
      const person = await signUp(service, { firstName: 'A [link](x)' })
      const people = await desk.get(`/owner/people.md?search=${person.email}`)
      assert.match(people.headers.get('content-type') ?? '', /^text\/markdown/)
      assert.ok(people.body.includes(`- [A \\[link\\](x)`), people.body)
      assert.ok(people.body.includes(`](/owner/person.md?userId=${person.userId}): ${person.email}`))
      const details = await desk.get(personPath(person), { accept: 'text/markdown' })
      assert.match(
        details.body,
        /^- E-mail: .*\n[\s\S]*## Active sessions\n\n- 20[\s\S]*`DELETE \/api\/owner\/person`: Delete/m,
      )
      assert.match((await desk.get('/owner/audit.md')).body, /by the command line/)
    })
  })
})

/** The response for an unknown path, to the last header, except those that differ in every response. */
function assertSame(response: PageResponse, unknown: PageResponse): void {
  const plain = ({ headers, ...rest }: PageResponse) => ({
    ...rest,
    headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
  })
  assert.deepEqual(plain(response), plain(unknown))
}
