import assert from 'node:assert/strict'
import { type Answer, type CallOptions, type Credentials, post } from './api.ts'
import { assertSucceeded } from './envelope.ts'
import { quarters, UPRIGHT } from './pictures.ts'
import { ask } from './plain-request.ts'
import type { Service } from './service.ts'

/** A picture for those who do not care which. */
export const ANY_PICTURE = await quarters(UPRIGHT, { width: 40, height: 20 }).png().toBuffer()

/** Sends a form as a browser does. */
export async function sendForm(
  service: { url: string },
  fields: Record<string, Uint8Array | string>,
  options: CallOptions = {},
): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, typeof value === 'string' ? value : new File([Buffer.from(value)], 'me.png', { type: 'image/png' }))
  }
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '', ...options.headers }
  return post(service, '/api/uploads', await encoded.bytes(), { ...options, headers })
}

export const upload = (service: { url: string }, as: Credentials, file: Uint8Array = ANY_PICTURE) =>
  sendForm(service, { file }, { as })

/** The address that a picture was given. */
export async function uploaded(service: { url: string }, as: Credentials, file?: Uint8Array): Promise<string> {
  const answer = await upload(service, as, file)
  assertSucceeded(answer, 201)
  return answer.body.data.url
}

/** An avatar that was uploaded: its address. */
export async function newAvatar(service: { url: string }, as: Credentials): Promise<string> {
  const avatar = await uploaded(service, as)
  assertSucceeded(await post(service, '/api/upload-avatar', { avatar }, { as }))
  return avatar
}

/** What is at a picture's address, whichever host its address names. */
export const served = (service: { url: string }, url: string, headers?: Record<string, string>, method?: string) =>
  ask(service, `/uploads/${url.split('/').at(-1)}`, headers, method)

export async function assertServed(service: { url: string }, ...urls: string[]): Promise<void> {
  for (const url of urls) assert.equal((await served(service, url)).status, 200, url)
}

/** Nothing is there, and nobody is to remember for long that nothing is. */
export async function assertGone(service: { url: string }, ...urls: string[]): Promise<void> {
  for (const url of urls) {
    const { status, headers } = await served(service, url)
    assert.equal(status, 404, url)
    assert.doesNotMatch(headers.get('cache-control') ?? '', /immutable|max-age=[1-9]/)
  }
}

/** The names of the files that an account has, those that it uses and those that it does not. */
export async function picturesOf({ portico: { database } }: Service, { userId }: { userId: string }) {
  const rows = await database.query.selectFrom('pictures').selectAll().where('user_id', '=', userId).execute()
  const names = (used: boolean) =>
    rows.filter((row) => (row.unused_since === null) === used).map(({ id }) => `${id}.webp`)
  return { used: names(true), unused: names(false) }
}

export const nameOf = (url: string) => url.split('/').at(-1) ?? ''
