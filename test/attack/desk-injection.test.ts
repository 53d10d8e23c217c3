import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import MarkdownIt from 'markdown-it'
import { deskPages } from '../../src/pages/owner/desk-pages.ts'
import { assertSucceeded, type Person, post, signUp } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { invite, setRegistration, signUpOwner } from '../support/owners.ts'
import { logInOnPages, type PageVisitor } from '../support/page-visitor.ts'
import { type Service, startService } from '../support/service.ts'
import { createWebhook } from '../support/webhooks.ts'

const HTML = '"><script>a</script><img src=x onerror=a>'
const MARKDOWN = '![p](https://evil.example) [l](https://evil.example) <https://evil.example> `'
const TABLE = '\n\n| a | b |\n|---|---|\n| c | d |\n\n# Heading\n- item'
const CONTROLS = '\u001b[31m\u0007\u202e\u2066\u2028'
/** Everything that a stored text may try. Where a field has a limit, its parts are tried one by one. */
const EVIL = `${HTML} ${MARKDOWN} ${CONTROLS}${TABLE}`
const EVIL_ADDRESS = "a`b|c*d_e!f'g&h"

const markdown = new MarkdownIt({ html: true })

describe('texts on the owner’s desk', () => {
  let service: Service
  let desk: PageVisitor
  let person: Person
  let webhookId: string
  const suite = suiteCleanUp()

  before(async () => {
    service = await startService('sqlite')
    cleanUp(suite, () => service.close())
    const owner = await signUpOwner(service)
    const email = `${EVIL_ADDRESS}@example.com`
    person = await signUp(service, { email, firstName: HTML.slice(0, 50), lastName: MARKDOWN.slice(0, 50) })
    const until = new Date(Date.now() + 86_400_000).toISOString()
    const suspension = { userId: person.userId, until, reason: `${HTML} ${MARKDOWN}` }
    assertSucceeded(await post(service, '/api/owner/person/suspend', suspension, { as: owner }))
    await invite(service, `invited-${EVIL_ADDRESS}@example.com`)
    await setRegistration(service, { allowedDomains: ['example.com'] })
    webhookId = (await createWebhook(service, owner, 'https://hooks.example.com/', ['session.started'])).webhookId
    await storeEvil(owner)
    desk = await logInOnPages(service, owner.email)
  })

  /** What other programs decide: the errors of receivers and of mail servers, and the names of browsers. */
  async function storeEvil(owner: Person): Promise<void> {
    const { query } = service.portico.database
    const { userId } = person
    const delivery = { webhook_id: webhookId, type: 'session.started' as const, user_id: userId, created_at: 1 }
    const payload = JSON.stringify({ type: 'session.started', data: { email: EVIL } })
    const id = () => `msg_${randomUUID().replaceAll('-', '')}`
    await query
      .insertInto('webhook_deliveries')
      .values([
        { ...delivery, id: id(), payload, attempts: 3, last_error: EVIL },
        { ...delivery, id: id(), payload, attempts: 1, due_at: Date.now() + 86_400_000, last_error: EVIL },
      ])
      .execute()
    // The API refuses such a URL. A stored one has no spaces and no control characters.
    await query
      .updateTable('webhooks')
      .set({ url: new URL(EVIL, 'https://hooks.example.com/x/').href })
      .execute()
    const mail = { recipient: person.email, text_body: '', html_body: '', created_at: 1, due_at: 1, failed_at: 1 }
    await query
      .insertInto('outbox')
      .values({ ...mail, id: randomUUID(), subject: EVIL, last_error: EVIL })
      .execute()
    const program = { browser: EVIL, os: EVIL, device: EVIL, ip_address: EVIL }
    await query
      .updateTable('sessions')
      .set({ ...program, client_ip: EVIL, revoked_at: null })
      .where('user_id', '=', userId)
      .execute()
    await query.updateTable('security_events').set(program).where('user_id', '=', userId).execute()
    const action = { owner_id: owner.userId, user_id: userId, browser: EVIL, os: EVIL, client_ip: EVIL, created_at: 1 }
    const details = JSON.stringify({ [EVIL]: EVIL, changed: { from: EVIL, to: [EVIL] } })
    await query
      .insertInto('owner_actions')
      .values({ ...action, id: randomUUID(), action: EVIL, details })
      .execute()
  }

  const pathsOf = () =>
    deskPages(service.portico).map(({ path }) => `${path}?${new URLSearchParams({ userId: person.userId, webhookId })}`)

  it('are text in every page: no tag, no control character, no address of another site', async () => {
    for (const path of [...pathsOf(), `/owner/people?search=${encodeURIComponent(EVIL.slice(0, 99))}`]) {
      const { status, body } = await desk.get(path)
      assert.equal(status, 200, path)
      const main = body.slice(body.indexOf('<main'), body.indexOf('</main>'))
      assert.doesNotMatch(main, /<(?:script|img|iframe|style|svg(?! class="(?:icon|chart)"))\b/i, path)
      assert.doesNotMatch(main.replaceAll(/"[^"]*"/g, '""'), /<[a-z][^>]*\son[a-z]+=/i, path)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
      assert.doesNotMatch(body, /[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2028\u2029\u2066-\u2069]/u, path)
      for (const [, address = ''] of main.matchAll(/\s(?:href|action|src)="([^"]*)"/g))
        assert.match(address, /^\/(?:owner|account)\b/, path)
    }
  })

  it('are text in every markdown form: no link, picture, table, heading or tag', async () => {
    for (const path of pathsOf().map((each) => each.replace('?', '.md?'))) {
      const { status, body } = await desk.get(path)
      assert.equal(status, 200, path)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
      assert.doesNotMatch(body, /[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2028\u2029\u2066-\u2069]/u, path)
      const blocks = markdown.parse(body, {})
      const tokens = blocks.flatMap((token) => [token, ...(token.children ?? [])])
      for (const token of tokens) {
        const { type } = token
        assert.ok(!['image', 'html_inline', 'html_block', 'fence'].includes(type), `${type} in ${path}`)
        if (type === 'link_open') assert.match(String(token.attrGet('href')), /^\/owner\b/, path)
      }
      const injected = blocks.flatMap(({ type }, index) =>
        ['heading_open', 'th_open'].includes(type) ? [blocks[index + 1]?.content] : [],
      )
      assert.deepEqual(
        injected.filter((content) => ['Heading', 'a', 'b'].includes(content ?? '')),
        [],
        path,
      )
    }
  })
})
