import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { colourCode } from '../../src/pages/api/colour-code.ts'

const word = (text: string) => `<span class="word">${text}</span>`
const string = (text: string) => `<span class="string">${text}</span>`

describe('the colours of an example', () => {
  it('mark the values of JSON, and not its keys', () => {
    const code = JSON.stringify({ text: 'a "b"', list: [-1, 'two', null], empty: {} }, null, 2)
    assert.equal(
      colourCode(code, 'json').text,
      `{
  &quot;text&quot;: ${string('&quot;a \\&quot;b\\&quot;&quot;')},
  &quot;list&quot;: [
    ${word('-1')},
    ${string('&quot;two&quot;')},
    ${word('null')}
  ],
  &quot;empty&quot;: {}
}`,
    )
  })

  it('mark the strings and options of a command', () => {
    const expected = `${word('curl')}${word(' -X')} DELETE http://a/curl-b${word(' -H')} ${string('&quot;A: $B&quot;')}`
    assert.equal(colourCode('curl -X DELETE http://a/curl-b -H "A: $B"', 'sh').text, expected)
  })

  it('mark the strings and words of TypeScript', () => {
    assert.equal(
      colourCode("const a = await fetch('<b>')", 'ts').text,
      `${word('const')} a = ${word('await')} fetch(${string('&#39;&lt;b&gt;&#39;')})`,
    )
  })

  it('leave other text as it is', () => {
    assert.equal(colourCode('<rss>', 'text').text, '&lt;rss&gt;')
  })
})
