import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, type Files, markdown, startSite, type TestSite } from '../support/site.ts'

const POSTS = 150
const MAX_STEP_MS = 150
// Without repetition, so that compressing it is work.
const text = (post: number) =>
  Array.from({ length: 40 }, (_, n) => `## Part ${n}\n\n${words(post * 1000 + n)} **bold** \`code\` [link](/blog).`)
const words = (seed: number) => Array.from({ length: 16 }, (_, n) => ((seed * 31 + n) ** 3).toString(36)).join(' ')

/** The longest time that the event loop was blocked since now. Other processes do not count. */
function watchSteps(): () => number {
  let [longest, last, isOver] = [0, process.threadCpuUsage(), false]
  const turn = () => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    isOver = true
    return longest
  }
}

describe('a site of many pages', () => {
  const site = {} as TestSite
  const peakBefore = process.resourceUsage().maxRSS
  const suite = suiteCleanUp()
  before(async () => {
    const files: Files = {}
    for (let post = 0; post < POSTS; post++) {
      files[`posts/post-${post}.md`] = markdown({ title: `Post ${post}`, date: '2024-01-01' }, text(post).join('\n\n'))
    }
    Object.assign(site, await startSite(files))
    cleanUp(suite, () => site.close())
  })

  it('is served completely', async () => {
    for (const path of ['/blog/post-0', `/blog/post-${POSTS - 1}`, '/feed.xml']) {
      assert.equal((await get(site, path)).status, 200, path)
    }
  })

  it('is prepared with little memory, however many pages there are', () => {
    const megabytes = (process.resourceUsage().maxRSS - peakBefore) / 1024
    assert.ok(megabytes < 400, `${megabytes} MB`)
  })

  it('is prepared anew in small steps, between which requests are served', async () => {
    // One of several tries: a busy machine can make a step longer, and none shorter.
    const steps: number[] = []
    do {
      const longest = watchSteps()
      const path = `/about-${steps.length}`
      await site.write(`pages${path}.md`, markdown({ title: 'About' }))
      await eventually(async () => assert.equal((await get(site, path)).status, 200))
      steps.push(longest())
    } while (steps.length < 5 && Math.min(...steps) >= MAX_STEP_MS)
    assert.ok(Math.min(...steps) < MAX_STEP_MS, `${steps} ms`)
  })
})
