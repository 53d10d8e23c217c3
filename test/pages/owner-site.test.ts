import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { signUpOwner } from '../support/owners.ts'
import { logInOnPages, type PageResponse, type PageVisitor } from '../support/page-visitor.ts'
import { onBothEngines, type Service, startService } from '../support/service.ts'
import { markdown } from '../support/site.ts'

// Markup of HTML and markdown, a control character, a bidirectional control and a line break.
const HOSTILE = '<img src=x onerror=a>\u202e\u2066\x1b[31m"><script>a</script>[x](javascript:a)\n# Forged'
const UNSAFE = /<img src=x|<script>a|[\u202e\u2066]|[^\P{Cc}\n]|style="/u
const SECRET = 'the code 918273'

async function storeMail({ portico }: Service, row: { isFailed?: boolean; text?: string } = {}): Promise<string> {
  const { query, now } = portico.database
  const { isFailed = true, text = 'plain' } = row
  const id = randomUUID()
  await query
    .insertInto('outbox')
    .values((eb) => ({
      id,
      recipient: `${text}@example.com`,
      subject: `Subject ${text}`,
      text_body: SECRET,
      html_body: SECRET,
      created_at: now,
      due_at: eb(now, '+', 60 * 60_000),
      failed_at: isFailed ? now : null,
      last_error: `550 ${text} ${text} ${text}`,
      attempts: 3,
    }))
    .execute()
  return id
}

describe('the pages of the owner’s desk about the site', () => {
  onBothEngines((service) => {
    async function openDesk(): Promise<PageVisitor> {
      await service.portico.database.query.deleteFrom('outbox').execute()
      return logInOnPages(service, (await signUpOwner(service)).email)
    }

    async function change(desk: PageVisitor, path: string, form: string, fields = {}): Promise<PageResponse> {
      const { status, location, body } = await desk.submit(path, form, fields)
      assert.equal(status, 303, body)
      return desk.get(location)
    }

    it('try mails again, drop one after a recent proof, and send a test mail', async () => {
      const desk = await openDesk()
      assert.match((await desk.get('/owner/mail')).body, /No mail has failed[\s\S]*[Ss]end[\s\S]*yourself a test mail/)
      const [one, other, waiting] = [
        await storeMail(service),
        await storeMail(service),
        await storeMail(service, { isFailed: false }),
      ]
      const { body } = await desk.get('/owner/mail')
      assert.ok(body.includes(one) && body.includes(other) && !body.includes(waiting) && !body.includes(SECRET))
      assert.ok((await desk.get('/owner/mail?state=waiting')).body.includes(waiting))
      const retried = await change(desk, '/owner/mail', 'retry', { ids: one })
      assert.match(retried.body, /The mail is due now/)
      assert.match((await change(desk, '/owner/mail', 'retry', { ids: randomUUID() })).body, /Nothing was changed/)

      await service.advanceTime({ hours: 1 })
      const asked = await desk.submit('/owner/mail', 'drop', { id: other })
      assert.match(asked.location, /^\/account\/confirm\?return_to=%2Fowner%2Fmail/)
      const { query } = service.portico.database
      assert.equal((await query.selectFrom('outbox').select('id').where('id', '=', other).execute()).length, 1)
      const fresh = await logInOnPages(service, (await signUpOwner(service)).email)
      assert.match((await change(fresh, '/owner/mail', 'drop', { id: other })).body, /The mail is deleted/)
      assert.equal((await query.selectFrom('outbox').select('id').where('id', '=', other).execute()).length, 0)
      assert.match((await change(fresh, '/owner/mail', 'test')).body, /A test mail is on its way to you/)
    })

    it('show subjects, addresses and errors of mail servers as text', async () => {
      const desk = await openDesk()
      await storeMail(service, { text: HOSTILE })
      await storeMail(service, { text: HOSTILE, isFailed: false })
      for (const path of ['/owner/mail', '/owner/mail?state=waiting', '/owner']) {
        const { body, status, headers } = await desk.get(path)
        assert.equal(status, 200)
        assert.doesNotMatch(body, UNSAFE, path)
        assert.match(headers.get('content-security-policy') ?? '', /style-src 'self'(;|$)/)
      }
      const { body } = await desk.get('/owner/mail.md')
      assert.doesNotMatch(body, /[\u202e\u2066]|[^\P{Cc}\n]|^# Forged|[^\\][[<]x|[^\\]<img/mu)
    })

    it('draw charts without styles of their own, with the counts as text', async () => {
      const desk = await openDesk()
      for (const path of ['/owner', '/owner/health']) {
        const { body } = await desk.get(path)
        assert.equal(body.match(/<svg class="chart"/g)?.length, 2)
        assert.match(body, /<desc id="chart-logIns-text">\d+ in 30 days, at most \d+ on 20\d\d-\d\d-\d\d\.</)
        assert.equal(body.match(/<th scope="row">20/g)?.length, 30)
        assert.doesNotMatch(body, / style=|<style/)
      }
      const inMarkdown = await desk.get('/owner/health.md')
      assert.match(inMarkdown.body, /- Log-ins: \d+ in 30 days[\s\S]*\| 20\d\d-\d\d-\d\d \| \d+ \| \d+ \|/)
      assert.match(inMarkdown.body, /^- Errors: \d\S* % \(\d+ of \d+ responses in an hour\)$/m)
      assert.match(inMarkdown.body, /`GET \/api\/owner\/health`: Read the figures/)
    })

    it('are calm when all is well, and say what needs attention otherwise', async () => {
      const desk = await openDesk()
      await storeMail(service)
      assert.match((await desk.get('/owner')).body, /href="\/owner\/mail">1 mail has failed permanently</)
      assert.match((await desk.get('/owner.md')).body, /- \[1 mail has failed permanently\]\(\/owner\/mail\.md\)/)
      await service.portico.database.query.deleteFrom('outbox').execute()
      assert.doesNotMatch((await desk.get('/owner')).body, /failed permanently/)
    })
  })

  it('list faults, drafts and what will appear, with hostile names as text', async (t) => {
    const folder = await temporaryFolder(t)
    const files = {
      'posts/draft.md': markdown({ title: `Draft ${HOSTILE.replace('\n', ' ')}`, draft: true, date: '2026-01-01' }),
      'posts/later.md': markdown({ title: 'Later', date: '2099-01-01' }),
      'posts/broken.md': markdown({ title: 'Broken', date: '2026-01-01', colour: 'red' }),
      'pages/<img src=x>\u202e.md': 'no front matter',
    }
    for (const name of ['posts', 'pages']) await mkdir(join(folder, name))
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
    const service = await startService('sqlite', { CONTENT_DIR: folder })
    cleanUp(t, () => service.close())
    const desk = await logInOnPages(service, (await signUpOwner(service)).email)
    const { body } = await desk.get('/owner/content')
    assert.match(body, /posts\/broken\.md:4[\s\S]*colour/)
    assert.match(body, /Later[\s\S]*2099-01-01 00:00 UTC/)
    assert.match(body, /must begin with front matter/)
    assert.doesNotMatch(body, UNSAFE)
    const inMarkdown = (await desk.get('/owner/content.md')).body
    assert.match(inMarkdown, /## Faults \(2\)\n\n- [\s\S]*## Drafts \(1\)/)
    assert.doesNotMatch(inMarkdown, /\u202e|[^\P{Cc}\n]|[^\\]<img/u)
    assert.match((await desk.get('/owner')).body, /href="\/owner\/content">The content has 2 faults</)
  })
})
