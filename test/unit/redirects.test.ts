import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ContentFault } from '../../src/content/fault.ts'
import { locationOf, readRedirects, resolveRedirects } from '../../src/content/redirects.ts'
import { YamlFields } from '../../src/content/yaml-fields.ts'

const SERVED = { pages: new Set(['/', '/about', '/blog/new']), files: new Set(['/feed.xml']) }

function readTable(table: Record<string, unknown>) {
  const faults: ContentFault[] = []
  const yaml = `title: A\nredirects:\n${Object.entries(table)
    .map(([from, to]) => `  ${JSON.stringify(from)}: ${JSON.stringify(to)}\n`)
    .join('')}`
  const redirects = readRedirects(new YamlFields('site.yaml', yaml), 'redirects', (fault) => faults.push(fault))
  return { redirects, faults: faults.map(({ message }) => message) }
}

function resolve(table: Record<string, string>, aliases: Record<string, string[]> = {}) {
  const read = readTable(table)
  const documents = Object.entries(aliases).map(([path, paths]) => ({
    file: `${path.slice(1)}.md`,
    path,
    aliases: paths.map((path, index) => ({ path, line: index + 2 })),
  }))
  const { targets, faults } = resolveRedirects({ site: { redirects: read.redirects }, documents }, SERVED)
  return { redirects: Object.fromEntries(targets), faults: [...read.faults, ...faults.map(({ message }) => message)] }
}

describe('redirects', () => {
  it('lead to pages, to files, to the server’s own pages and to other sites', () => {
    const table = {
      '/old': '/about',
      '/old/': '/never',
      '/feed': '/feed.xml',
      '/rss.php': '/feed.xml',
      '/me': '/about?from=me#work',
      '/text': '/about.md',
      '/start': '/index.md',
      '/enter': '/log-in',
      '/code': 'https://Example.com/ada',
      '/über uns': '/about',
    }
    assert.deepEqual(resolve(table, { '/blog/new': ['/2019/new.html', '/blog/new'] }), {
      redirects: {
        '/old': '/about',
        '/feed': '/feed.xml',
        '/rss.php': '/feed.xml',
        '/me': '/about?from=me#work',
        '/text': '/about.md',
        '/start': '/index.md',
        '/enter': '/log-in',
        '/code': 'https://example.com/ada',
        '/%C3%BCber%20uns': '/about',
        '/2019/new.html': '/blog/new',
      },
      faults: ['site.yaml:4: /old redirects already: see site.yaml:3'],
    })
  })

  it('that would hide something, chain, loop or lead nowhere do not redirect, and the others do', () => {
    const { redirects, faults } = resolve(
      {
        '/about': '/blog/new',
        '/log-in': '/about',
        '/search.json': '/about',
        '/api/x': '/about',
        '/self': '/self',
        '/a': '/b',
        '/b': '/a',
        '/first': '/second',
        '/second': '/about',
        '/lost': '/nowhere',
        '/about.md': '/blog/new',
        '/index.md': '/about',
        '/raw': '/feed.xml.md',
      },
      { '/about': ['/x', '/second', '/blog/new'], '/blog/new': ['/x'] },
    )
    assert.deepEqual(redirects, { '/second': '/about', '/x': '/about' })
    assert.deepEqual(faults, [
      'site.yaml:3: /about does not redirect: there is a page or a file at this address',
      'site.yaml:4: /log-in does not redirect: the address belongs to the site itself',
      'site.yaml:5: /search.json does not redirect: the address belongs to the site itself',
      'site.yaml:6: /api/x does not redirect: the address belongs to the site itself',
      'site.yaml:13: /about.md does not redirect: there is a page or a file at this address',
      'site.yaml:14: /index.md does not redirect: there is a page or a file at this address',
      'about.md:3: /second redirects already: see site.yaml:11',
      'about.md:4: /blog/new does not redirect: there is a page or a file at this address',
      'blog/new.md:2: /x redirects already: see about.md:2',
      'site.yaml:7: /self does not redirect: it leads back to itself',
      'site.yaml:8: /a does not redirect: it leads back to itself',
      'site.yaml:9: /b does not redirect: it leads back to itself',
      'site.yaml:10: /first does not redirect: /second redirects too, so name the address where that one leads',
      'site.yaml:12: /lost does not redirect: there is nothing at /nowhere',
      'site.yaml:15: /raw does not redirect: there is nothing at /feed.xml.md',
    ])
  })

  it('have no other targets', () => {
    const hostile = [
      ...['//evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example', '/.//evil.example'],
      ...['http://evil.example', 'https://user:pw@evil.example', 'javascript:alert(1)', 'data:text/html,x', 'about'],
      ...['https://a.example/\r\nSet-Cookie: a=b', '/a\r\nSet-Cookie: a=b', '', 'https://', `/${'a'.repeat(600)}`],
    ]
    for (const target of hostile) {
      const { redirects, faults } = readTable({ '/old': target })
      assert.deepEqual(redirects, [], target)
      assert.equal(faults.length, 1, target)
    }
    for (const from of ['old', '//evil.example/a', '/\\a', '/a?b', '/a#b', '/a\r\nb', '/%ff', '']) {
      assert.deepEqual(readTable({ [from]: '/about' }).redirects, [], from)
    }
    assert.throws(() => readTable({ '/old': ['/about'] }), /must be a text/)
  })

  it('never leave the site by a path, whatever is written', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '\t',
      '\r\n',
      '@',
      ':',
      'evil.example',
      '%2f',
      '%5c',
      '%0a',
      '‮',
      'é',
    )
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`)
    fc.assert(
      fc.property(text, (target) => {
        for (const { from, to } of readTable({ '/old': target }).redirects) {
          assert.equal(from, '/old')
          assert.match(to, /^\/(?!\/)[!-~]*$/)
          assert.equal(new URL(to, 'https://site.example').origin, 'https://site.example')
        }
      }),
    )
  })

  it('keep the query, before the fragment', () => {
    assert.equal(locationOf('/a', ''), '/a')
    assert.equal(locationOf('/a', '?'), '/a')
    assert.equal(locationOf('/a', '?b=1'), '/a?b=1')
    assert.equal(locationOf('/a?x=1#y', '?b=1'), '/a?x=1&b=1#y')
    assert.equal(locationOf('/a#y', '?b=//evil.example'), '/a?b=//evil.example#y')
  })

  it('are resolved in linear time, also 10,000 in a chain', () => {
    const table = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`/r${n}`, `/r${n + 1}`]))
    const read = readTable({ ...table, '/r10000': '/about' })
    const startedAt = performance.now()
    const { targets, faults } = resolveRedirects({ site: read, documents: [] }, SERVED)
    assert.ok(performance.now() - startedAt < 2_000)
    assert.deepEqual([...targets], [['/r10000', '/about']])
    assert.equal(faults.length, 10_000)
  })
})
