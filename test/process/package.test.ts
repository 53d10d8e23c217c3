import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { parseDotEnv } from '../../src/config/dot-env.ts'
import { SETTING_DESCRIPTIONS } from '../../src/config/setting-descriptions.ts'
import { get } from '../support/api.ts'
import { runProgram } from '../support/child.ts'
import { temporaryFolder } from '../support/clean-up.ts'
import { startRegistry, startSite, userEnv, verifiedAccount } from '../support/packages.ts'
import { runPortico } from '../support/process.ts'

describe('the package', () => {
  it('serves a new site from an empty folder: the first verified account in under a minute', async (t) => {
    const registry = await startRegistry(t)
    const began = performance.now()
    const folder = join(await temporaryFolder(t), 'my-site')
    const { code } = await runPortico(t, ['init', folder, '--title', 'Ada: "notes"', '--yes', '--no-install'])
    assert.equal(code, 0)
    await runProgram(t, 'npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env: userEnv(registry) })
    const url = await startSite(t, ['npm'], folder)
    const status = await verifiedAccount(url)
    const seconds = (performance.now() - began) / 1000
    t.diagnostic(`${seconds.toFixed(1)} s from "portico init" to the first verified account`)
    assert.equal(status, 200)
    assert.ok(seconds < 60, `${seconds} s`)

    assert.match((await get({ url }, '/')).body, /Ada: &quot;notes&quot;/)
    const scripts = [...(await get({ url }, '/log-in')).body.matchAll(/src="(\/assets\/[^"]+\.js)"/g)]
    assert.ok(scripts.length > 0)
    for (const [, path] of scripts) {
      const script = await get({ url }, path)
      assert.deepEqual([script.status, script.headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
    }
    assert.ok(existsSync(join(folder, 'data/portico.db')))
    const installed = join(folder, 'node_modules/portico')
    for (const name of ['README.md', 'CHANGELOG.md', 'SECURITY.md']) {
      const links = [...readFileSync(join(installed, name), 'utf8').matchAll(/\]\((?![a-z]+:)([^)#]*)/g)]
      for (const [, link = ''] of links) assert.ok(existsSync(join(installed, link)), `${name} links to ${link}`)
    }
    const dist = join(installed, 'dist')
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    const maps = files.filter((file) => file.endsWith('.js.map'))
    assert.ok(maps.some((file) => readFileSync(join(dist, file), 'utf8').includes('accounts/log-in.ts')))
    assert.match(readFileSync(join(dist, 'index.d.ts'), 'utf8'), /export \{ serve \}/)
    assert.deepEqual(
      files.filter((file) => /(?<!\.d)\.ts$/.test(file)),
      [],
      'Node strips no types below node_modules',
    )
  })
})

describe('portico init', () => {
  it('writes a site with every setting as a comment, and overwrites nothing', async (t) => {
    const folder = join(await temporaryFolder(t), 'Ada’s site!')
    const title = `Ada: # "notes", ${'so long that YAML would fold them '.repeat(2)}`
    const options = ['--title', title, '--author', "Ada O'Hara", '--url', 'https://ada.example.com/']
    const words = ['init', folder, ...options, '--yes', '--no-install']
    const { code, stdout } = await runPortico(t, words)
    assert.equal(code, 0)
    assert.match(stdout, /npm install\n {2}npm start/)
    assert.deepEqual(readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort(), [
      '.env',
      '.gitignore',
      'README.md',
      'content',
      'content/pages',
      'content/pages/about.md',
      'content/pages/index.md',
      'content/posts',
      'content/posts/hello-world.md',
      'content/site.yaml',
      'package.json',
    ])
    const env = readFileSync(join(folder, '.env'), 'utf8')
    const { lines, faults } = parseDotEnv(env)
    assert.deepEqual([lines.size, faults], [0, []])
    assert.doesNotMatch(env, /\n\n# [a-z]|`[A-Z]/)
    assert.equal(statSync(join(folder, '.env')).mode & 0o777, 0o600)
    const enabled = parseDotEnv(env.replace(/^# ([A-Z_]+=)/gm, '$1'))
    const names = Object.values(SETTING_DESCRIPTIONS).flatMap((settings) => settings.flatMap(({ names }) => names))
    assert.deepEqual([...enabled.lines.keys()], names)
    assert.equal(enabled.values.BASE_URL, 'https://ada.example.com')
    assert.ok(readFileSync(join(folder, 'README.md'), 'utf8').trim().split('\n').length <= 10)
    const site = parse(readFileSync(join(folder, 'content/site.yaml'), 'utf8'))
    assert.deepEqual([site.title, site.author, site.language], [title, "Ada O'Hara", 'en'])
    const { name, scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    assert.deepEqual([name, Object.keys(scripts)], ['ada-s-site', ['start', 'dev', 'doctor']])

    const again = await runPortico(t, words)
    assert.equal(again.code, 1)
    assert.match(again.stderr, /is not empty: it has \.env, \.gitignore, README\.md, others\n/)
    assert.equal(readFileSync(join(folder, '.env'), 'utf8'), env)
  })

  it('refuses titles of several lines and public addresses without https', async (t) => {
    for (const options of [
      ['--title', 'a\nb'],
      ['--author', 'x'.repeat(101)],
      ['--url', 'http://example.com'],
      ['--url', 'https://example.com\nSMTP_URL=smtp://mail.example'],
    ]) {
      const folder = join(await temporaryFolder(t), 'site')
      assert.equal((await runPortico(t, ['init', folder, ...options, '--yes', '--no-install'])).code, 2)
      assert.ok(!existsSync(folder))
    }
  })
})
