import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDocument } from '../../src/content/document.ts'
import { ignoredFieldsFault } from '../../src/content/engine-fields.ts'
import { ContentFault } from '../../src/content/fault.ts'
import { withYamlFrontMatter } from '../../src/content/toml-front-matter.ts'

function read(yaml: string, kind: 'post' | 'page' = 'post') {
  const notes: string[] = []
  const document = readDocument(kind, 'posts/a.md', `---\ntitle: A\ndate: 2024-01-01\n${yaml}\n---\nText.\n`, (fault) =>
    notes.push(fault.message),
  )
  return { document, notes }
}

async function readToml(toml: string) {
  return readDocument('post', 'posts/a.md', await withYamlFrontMatter('posts/a.md', toml), (fault) => {
    throw fault
  })
}

const faultAt = (line: number, words: RegExp) => (error: unknown) =>
  error instanceof ContentFault && error.line === line && words.test(error.problem)

describe('the fields of other engines', () => {
  it('are read like those of Portico', () => {
    for (const [yaml, field, value] of [
      ['lastmod: 2024-02-01', 'updated', new Date('2024-02-01')],
      ['modified: 2024-02-01', 'updated', new Date('2024-02-01')],
      ...[' 10:00:00 +0100', ' 10:00:00+0100', 'T10:00:00+0100', ' 10:00 +01:00', '  10:00:00.0+01:00'].map(
        (time) => [`last_modified_at: 2024-02-01${time}`, 'updated', new Date('2024-02-01T09:00Z')] as const,
      ),
      ['updated: 2024-02-01 09:00:00Z', 'updated', new Date('2024-02-01T09:00Z')],
      ['updated: 2024-02-01 09:00', 'updated', new Date('2024-02-01T09:00Z')],
      ['updated: 2024-03-01\nlastmod: 2024-02-01', 'updated', new Date('2024-03-01')],
      ['summary: Short', 'description', 'Short'],
      ['excerpt: Short', 'description', 'Short'],
      ['description: Own\nsummary: Short', 'description', 'Own'],
      ['published: false', 'isDraft', true],
      ['published: true', 'isDraft', false],
      ['status: Draft', 'isDraft', true],
      ['publishDate: 2030-01-01', 'date', new Date('2030-01-01')],
      ['pubDate: 2023-01-01', 'date', new Date('2024-01-01')],
      ['published: 2030-01-01', 'date', new Date('2030-01-01')],
    ] as const) {
      const { document, notes } = read(yaml)
      assert.deepEqual(document[field], value, yaml)
      assert.deepEqual(notes, [], yaml)
    }
    const { document } = read('tags: [a]\ncategories: [b, A]\ncategory: c d')
    assert.deepEqual(
      document.tags.map(({ slug }) => slug),
      ['a', 'b', 'c-d'],
    )
  })

  it('are not there when they are empty', () => {
    for (const name of ['tags', 'categories', 'category', 'aliases', 'redirect_from', 'permalink', 'url', 'series']) {
      for (const empty of ['""', '" "', '', '~', '[]']) {
        const { document, notes } = read(`${name}: ${empty}`)
        assert.deepEqual([document.tags, document.aliases, document.series, notes], [[], [], undefined, []], name)
      }
    }
  })

  it('may be numbers, which are texts', () => {
    const { document, notes } = read('series: 2024\ncategory: 2023\ncategories: [2022, a]')
    assert.equal(document.series?.name, '2024')
    assert.deepEqual(
      document.tags.map(({ name }) => name),
      ['2022', 'a', '2023'],
    )
    assert.deepEqual(notes, [])
    const wrong = read('permalink: 404')
    assert.match(wrong.notes.join(), /^posts\/a\.md:4: "404" of "permalink" must be a path/)
  })

  it('with other values have the rule in their fault', () => {
    for (const [yaml, words] of [
      ['series: true', /"series" must be a text or a list of texts/],
      ['series: [a, b]', /"series" must be one text/],
      ['category: { a: b }', /"category" must be a text or a list of texts/],
      ['tags: a', /"tags" must be a list$/],
      ...[' 10:00 +1', ' 10:00+0100Z', 'T10', ' 10:00:00 0100', ' 10:00:0001'].map(
        (time) => [`updated: "2024-02-01${time}"`, /"updated" must be a date/] as const,
      ),
    ] as const)
      assert.throws(() => read(yaml), faultAt(4, words), yaml)
  })

  it('give former addresses', () => {
    const { document, notes } = read(
      'aliases: [/old, "/a b/"]\nredirect_from: /older\npermalink: /2019/01/a.html\nurl: /:year/:title/',
    )
    assert.deepEqual(document.aliases, [
      { path: '/old', line: 4 },
      { path: '/a%20b', line: 4 },
      { path: '/older', line: 5 },
      { path: '/2019/01/a.html', line: 6 },
    ])
    assert.deepEqual(notes.length, 1)
    assert.match(notes[0] ?? '', /^posts\/a\.md:7: "\/:year\/:title\/" of "url" must be a path/)
  })

  it('keep a document back that is not for everybody, and when they are misspelt', () => {
    for (const yaml of ['private: true', 'password: x', 'expiryDate: 2030-01-01', 'hidden: true', 'unlisted: true'])
      assert.throws(
        () => read(yaml),
        faultAt(4, /has no effect here: remove it, or keep the text back with "draft: true"/),
      )
    for (const yaml of [
      'publised: false',
      'publised: no',
      'Published: false',
      'stauts: draft',
      'pubdate: 2099-01-01',
      'privat: true',
    ])
      assert.throws(() => read(yaml), faultAt(4, /is not a field: did you mean/), yaml)
    // The names are near those that keep a document back, but not their values.
    for (const yaml of ['publisher: Example', 'states: 3', 'hidden: false', 'private: false'])
      assert.equal(read(yaml).document.isDraft, false, yaml)
    for (const yaml of ['draft: yes', 'draft: true', 'published: no']) assert.ok(read(yaml).document.isDraft, yaml)
    assert.equal(read('draft: no\npublished: yes').document.isDraft, false)
  })

  it('without effect are named once for the whole site', () => {
    const ignored = read('layout: post\nweight: 3\nstatus: accepted')
    assert.deepEqual(ignored.notes, [])
    const others = { file: 'posts/b.md', ignored: ['layout'] }
    assert.deepEqual(
      ignoredFieldsFault([{ file: 'posts/0.md', ignored: [] }, ignored.document, others, others]).map(
        ({ message }) => message,
      ),
      [
        'posts/a.md:1: "layout", "status", "weight" are fields of other engines, without effect here (also in 2 other files)',
      ],
    )
    assert.deepEqual(ignoredFieldsFault([{ file: 'posts/0.md', ignored: [] }]), [])
  })
})

describe('front matter in TOML', () => {
  it('is read, with dates, lists, long texts and Windows lines', async () => {
    const document = await readToml(
      `+++\r\ntitle = "A: #1"\r\ndate = 2024-01-02T03:04:05+01:00\r\ntags = [\r\n  "C++",\r\n  "b",\r\n]\r\ndescription = """\r\ndraft = true\r\n"""\r\n+++\r\n\r\nText.\r\n`,
    )
    assert.equal(document.title, 'A: #1')
    assert.equal(document.description, 'draft = true')
    assert.equal(document.isDraft, false)
    assert.deepEqual(document.date, new Date('2024-01-02T02:04:05Z'))
    assert.deepEqual(
      document.tags.map(({ name }) => name),
      ['C++', 'b'],
    )
    assert.equal(document.markdown.toString(), 'Text.\n')
    assert.equal(document.firstLine, 13)
    assert.deepEqual((await readToml('+++\ntitle = "A"\ndate = 2024-01-02\n+++')).date, new Date('2024-01-02'))
  })

  it('has its lines in faults', async () => {
    for (const [toml, line, words] of [
      ['+++\ntitle = "A"\n\ndate = "soon"\n+++\n', 4, /"date" must be a date/],
      ['+++\ntitle = "A"\ndate = 2024-01-01\n\n# note\ndarft = true\n+++\n', 6, /did you mean "draft"/],
      ['+++\ntitle = "A"\ntags = [\n "a",\n]\ndraft = "maybe"\ndate = 2024-01-01\n+++\n', 6, /"draft" must be true/],
      ['+++\ntitle = "A"\ndate = \n+++\n', 3, /TOML/],
      ['+++\ntitle = "A"\ntitle = "B"\n+++\n', 3, /TOML/],
      ['+++\ntitle = "A"\n', 1, /a line of "\+\+\+" is missing/],
      ['+++\ntitle = "A"\ndate = 2024-01-01\n[[params]]\na = 1\n[draft]\nb = 1\n+++\n', 6, /"draft" must be true/],
    ] as const)
      await assert.rejects(readToml(toml), faultAt(line, words), toml)
  })

  it('changes no other text', async () => {
    for (const text of ['---\ntitle: A\n---\n+++\n', 'a\n+++\n', '++++\n', '+++'])
      assert.equal(await withYamlFrontMatter('a.md', text), text)
  })

  it('has no other prototype, and cannot end early', async () => {
    const document = await readToml(
      '+++\ntitle = "---\\n# x"\ndate = 2024-01-01\n[extra]\n"__proto__" = { isDraft = true }\n+++\nText.\n',
    )
    assert.equal(document.title, '---\n# x')
    assert.equal(document.markdown.toString(), 'Text.\n')
    assert.equal(document.isDraft, false)
  })
})
