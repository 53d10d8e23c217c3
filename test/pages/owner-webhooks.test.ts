import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { PASSWORD, signUp } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { signUpOwner } from '../support/owners.ts'
import { fieldError, logInOnPages, type PageResponse, type PageVisitor } from '../support/page-visitor.ts'
import { type Service, startService } from '../support/service.ts'
import { deliverDue, PRIVATE_WEBHOOKS, startReceiver } from '../support/webhooks.ts'

const WEBHOOKS = '/owner/webhooks'
const NEW = '/owner/webhooks/new'

describe('the pages of webhooks', () => {
  let service: Service
  let desk: PageVisitor
  const suite = suiteCleanUp()
  before(async () => {
    service = await startService('sqlite', PRIVATE_WEBHOOKS)
    cleanUp(suite, () => service.close())
    desk = await logInOnPages(service, (await signUpOwner(service)).email)
  })

  /** Creates a webhook on the page. Returns the path of its page, and its secret. */
  async function create(url: string, events = { 'events.account.created': 'on' }) {
    const { status, body } = await desk.submit(NEW, 'create', { url, ...events })
    assert.equal(status, 200, body)
    const path = /href="(\/owner\/webhook\?webhookId=[0-9a-f-]{36})"/.exec(body)?.[1] ?? ''
    return { path, secret: secretIn(body) }
  }

  async function change(path: string, form: string, fields = {}): Promise<PageResponse> {
    const { status, location, body } = await desk.submit(path, form, fields)
    assert.equal(status, 303, body)
    return desk.get(location)
  }

  it('say what to do when there is none', async () => {
    const { body } = await desk.get(WEBHOOKS)
    assert.match(body, /There is no webhook yet[\s\S]*href="\/owner\/webhooks\/new"/)
    assert.match((await desk.get(`${WEBHOOKS}.md`)).body, /There is none[\s\S]*`GET \/api\/owner\/webhooks`/)
  })

  it('create a webhook, and show its secret this once', async (t) => {
    const { url } = await startReceiver(t)
    const { path, secret } = await create(url)
    assert.match(secret, /^whsec_[A-Za-z0-9+/=]{44}$/)
    for (const at of [WEBHOOKS, path, path.replace('?', '.md?')]) {
      const { body } = await desk.get(at)
      assert.ok(body.includes(url), at)
      assert.doesNotMatch(body, /whsec_/)
    }
  })

  it('keep what was entered when a webhook is refused', async () => {
    const { status, body } = await desk.submit(NEW, 'create', { url: 'ftp://x', 'events.session.started': 'on' })
    assert.equal(status, 400)
    assert.match(fieldError(body, 'url') ?? '', /http or https/)
    assert.match(body, /name="events\.session\.started" value="on" checked/)
    assert.doesNotMatch(body, /name="events\.account\.created" value="on" checked/)
    const without = await desk.submit(NEW, 'create', { url: 'https://hooks.example.com/' })
    assert.match(without.body, /<fieldset[^>]* aria-describedby="create-events-error"/)
    assert.match(without.body, /id="create-events-error">Events must be one or more/)
  })

  it('show deliveries with their outcome, in pages, and send one again', async (t) => {
    const receiver = await startReceiver(t)
    const { path } = await create(receiver.url)
    assert.match((await desk.get(path)).body, /Nothing was sent yet/)
    const ada = await signUp(service, { firstName: 'Ada' })
    await deliverDue(service)
    receiver.status = 503
    await signUp(service)
    await deliverDue(service)
    const { body } = await desk.get(path)
    assert.match(body, /Waiting[\s\S]*Status 503<\/bdi> · <bdi>1 attempt<\/bdi> · <bdi>next attempt 20/)
    assert.match(body, /Delivered[\s\S]*Status 204/)
    assert.match(body, /class="badge warn">Failing since 20/)
    assert.ok(body.includes(ada.email))
    const first = await desk.get(`${path}&limit=1`)
    const next = /rel="next" href="([^"]*)"/.exec(first.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await desk.get(next)
    const [deliveryId] = /msg_[0-9a-f]{32}/.exec(second.body) ?? []
    assert.ok(deliveryId)
    assert.equal(first.body.includes(deliveryId), false)
    receiver.status = 204
    const before = receiver.eventsOf(ada.userId).length
    assert.match((await change(next, 'resend', { deliveryId })).body, /The event is sent again/)
    await deliverDue(service)
    assert.equal(receiver.eventsOf(ada.userId).length, before + 1)
    const inMarkdown = await desk.get(path.replace('?', '.md?'))
    assert.match(inMarkdown.body, /^- Events: account\.created$/m)
    assert.match(inMarkdown.body, /account\.created, msg_[0-9a-f]{32}: delivered; status 204; 1 attempt; body: /)
  })

  it('change, switch off and on, replace the secret, and delete, with the URL in the question', async (t) => {
    const receiver = await startReceiver(t)
    const { path, secret } = await create('https://hooks.example.com/')
    const changed = await change(path, 'change', { url: receiver.url, 'events.account.created': 'on' })
    assert.ok(changed.body.includes(receiver.url))
    assert.match((await change(path, 'switch-off')).body, /class="badge bad">Off since[\s\S]*Switch on again/)
    assert.match((await change(path, 'switch-on')).body, /class="badge good">On</)
    const rotated = await desk.submit(path, 'rotate', { overlapHours: '24' })
    assert.equal(rotated.status, 200)
    assert.notEqual(secretIn(rotated.body), secret)
    const { body } = await desk.get(path)
    assert.match(body, /Former secret[\s\S]*Signs until/)
    assert.match(body, new RegExp(`The webhook <strong><bdi>${receiver.url}</bdi></strong> is deleted`))
    assert.match((await change(path, 'delete')).body, /The webhook is deleted/)
    assert.equal((await desk.get(path)).status, 404)
    assert.equal((await desk.submit(path, 'delete')).status, 404)
  })

  it('ask for a recent proof before a change, and lead back', async () => {
    const { path } = await create('https://hooks.example.com/')
    await service.advanceTime({ hours: 1 })
    assert.equal((await desk.get(NEW)).location, `/account/confirm?${new URLSearchParams({ return_to: NEW })}`)
    for (const [at, form] of [
      [NEW, 'create'],
      ...['change', 'switch-off', 'rotate', 'delete'].map((form) => [path, form] as const),
    ] as const) {
      const fields = { url: 'https://hooks.example.com/', 'events.session.started': 'on', overlapHours: '0' }
      const { location } = await desk.submit(at, form, fields)
      assert.equal(location, `/account/confirm?${new URLSearchParams({ return_to: at })}`, form)
    }
    const confirm = `/account/confirm?${new URLSearchParams({ return_to: path })}`
    assert.equal((await desk.submit(confirm, 'password', { password: PASSWORD })).location, path)
    await change(path, 'delete')
  })
})

function secretIn(body: string): string {
  return /<pre class="key">([^<]*)<\/pre>/.exec(body)?.[1] ?? ''
}
