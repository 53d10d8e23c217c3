import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withLinks } from '../../src/pages/text-links.ts'

const linked = (address: string) => `<a href="${address}" rel="noopener noreferrer">${address}</a>`
const CASES: [text: string, shown: string][] = [
  ['no address', 'no address'],
  ['at https://a.example/b?c=d#e, and', `at ${linked('https://a.example/b?c=d#e')}, and`],
  ['(http://a.example).', `(${linked('http://a.example')}).`],
  ['https://a.example https://b.example', `${linked('https://a.example')} ${linked('https://b.example')}`],
  ['https://a.example/?a=1&b=2', linked('https://a.example/?a=1&amp;b=2')],
  ['https://a.example/"onclick="x', `${linked('https://a.example/')}&quot;onclick=&quot;x`],
  ["https://a.example/'x", linked('https://a.example/&#39;x')],
  ['https://a.example/<script>x', `${linked('https://a.example/')}&lt;script&gt;x`],
  ['javascript:alert(1) data:text/html,x ftp://a.example', 'javascript:alert(1) data:text/html,x ftp://a.example'],
  ['javascript://https://a.example', `javascript://${linked('https://a.example')}`],
  ['https:// https://[ http://...', 'https:// https://[ http://...'],
]

describe('the links in a plain text', () => {
  for (const [text, shown] of CASES) {
    it(`are safe in ${text}`, () => {
      assert.equal(withLinks(text).text, shown)
    })
  }

  it('take time in proportion to the text', () => {
    const timeOf = (text: string) => {
      const times = Array.from({ length: 5 }, () => {
        const began = process.cpuUsage()
        withLinks(text)
        const { user, system } = process.cpuUsage(began)
        return user + system
      })
      return Math.min(...times)
    }
    for (const filler of ['http://', 'https://a.example/', 'h', '.', ').,', 'https://a.example... ']) {
      const [short, long] = [20_000, 320_000].map((length) => filler.repeat(length / filler.length)) as [string, string]
      withLinks(short)
      // Sixteen times the text: linear takes sixteen times the CPU time, quadratic 256 times.
      assert.ok(timeOf(long) < 80 * Math.max(timeOf(short), 500), filler)
    }
  })
})
