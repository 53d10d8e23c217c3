import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { readLibrary } from '../../src/content/library.ts'
import { createDocument, NotCreated } from '../../src/content/new-document.ts'
import { temporaryFolder } from '../support/clean-up.ts'

const NOW = new Date('2026-11-16T23:30:00Z')

async function stage(folder: string) {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'site.yaml'), 'title: Site\n')
  return (kind: 'post' | 'page', title: string, options: { slug?: string; isDraft?: boolean } = {}) =>
    createDocument(folder, { kind, title, slug: undefined, isDraft: true, now: NOW, ...options })
}

const refusal = (message: RegExp) => (error: unknown) => error instanceof NotCreated && message.test(error.message)

describe('a new document', () => {
  it('is a draft with the front matter of its kind', async (t) => {
    const folder = await temporaryFolder(t)
    const create = await stage(folder)
    assert.deepEqual(await create('post', 'Hello, world'), {
      file: 'posts/2026-11-16-hello-world.md',
      path: '/blog/hello-world',
      isNumbered: false,
    })
    assert.equal(
      await readFile(join(folder, 'posts/2026-11-16-hello-world.md'), 'utf8'),
      '---\ntitle: Hello, world\ndate: 2026-11-16\ndraft: true\n---\n\n',
    )
    assert.deepEqual(await create('page', 'Über uns', { isDraft: false }), {
      file: 'pages/uber-uns.md',
      path: '/uber-uns',
      isNumbered: false,
    })
    assert.equal(await readFile(join(folder, 'pages/uber-uns.md'), 'utf8'), '---\ntitle: Über uns\n---\n\n')
  })

  it('is read without a fault and inside the folder, whatever its title', async (t) => {
    const folder = await temporaryFolder(t)
    const content = join(folder, 'content')
    const create = await stage(content)
    const titles = [
      '"double" and \'single\' quotes: yes',
      'two\nlines\r\n---\ndraft: false',
      '../../../etc/passwd',
      'a\0b\x1b[31mred',
      '🎉🎉',
      '🎈',
      'שלום עולם',
      '\u202egnirts',
      'x'.repeat(300),
      `${'long words '.repeat(30)}`,
      'true',
      '42',
      '- a list',
      '#hash',
      '\ud800 lone surrogate',
    ]
    for (const title of titles) await create('post', title)
    const { posts, faults } = await readLibrary(content)
    assert.deepEqual(faults, [])
    assert.equal(posts.length, titles.length)
    assert.ok(posts.every(({ isDraft, title }) => isDraft && title !== ''))
    assert.deepEqual(await readdir(folder), ['content'])
    assert.ok(posts.some(({ title, slug }) => title === 'שלום עולם' && slug === 'post-3'))
  })

  it('never replaces a file, and never takes an address', async (t: TestContext) => {
    const folder = await temporaryFolder(t)
    const create = await stage(folder)
    await mkdir(join(folder, 'posts'))
    await writeFile(join(folder, 'posts/2025-01-01-hello.md'), '---\ntitle: A\ndate: 2025-01-01\n---\n')
    // This one has no front matter, so it has no address.
    await writeFile(join(folder, 'posts/2026-11-16-notes.md'), 'mine')
    await assert.rejects(create('post', 'Hello!'), refusal(/^posts\/2025-01-01-hello\.md has the address of this post/))
    await assert.rejects(create('post', 'Notes'), refusal(/^posts\/2026-11-16-notes\.md exists already/))
    assert.equal(await readFile(join(folder, 'posts/2026-11-16-notes.md'), 'utf8'), 'mine')
    await assert.rejects(create('page', 'Blog'), refusal(/^the address \/blog belongs to the site itself/))
    await assert.rejects(create('post', 'x', { slug: '../x' }), refusal(/^the address must be of lower-case letters/))
    await assert.rejects(create('post', ' \n\t '), refusal(/^The title is empty/))
    assert.equal((await create('page', 'Blog', { slug: 'my-blog' })).path, '/my-blog')
  })
})
