import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it, type TestContext } from 'node:test'
import { runProgram } from '../support/child.ts'
import { suiteCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { startRegistry, startSite, userEnv, verifiedAccount } from '../support/packages.ts'
import { runPortico } from '../support/process.ts'

describe('the packages', () => {
  const suite = suiteCleanUp()
  let registry = ''
  before(async () => {
    registry = await startRegistry(suite)
  })

  it('create a site by npm create, with an empty cache', async (t) => {
    const folder = await temporaryFolder(t)
    const env = { ...userEnv(registry), npm_config_cache: await temporaryFolder(t) }
    await runProgram(t, 'npm', ['create', '--yes', 'portico', 'my-site', '--', '--yes'], { cwd: folder, env })
    const site = join(folder, 'my-site')
    assert.ok(existsSync(join(site, 'content/site.yaml')))
    assert.equal(await verifiedAccount(await startSite(t, ['npm'], site)), 200)
  })

  /**
   * Installs a new site with a package manager, starts it with its script, signs up and backs up. The settings of yarn
   * name a cache of its own: a cache of the machine may have an earlier build of the same version.
   */
  async function tryManager(t: TestContext, manager: string, settings: Record<string, string>): Promise<string> {
    const folder = join(await temporaryFolder(t), 'my-site')
    await runPortico(t, ['init', folder, '--yes', '--no-install'])
    for (const [name, content] of Object.entries(settings)) writeFileSync(join(folder, name), content)
    await runProgram(t, 'npx', ['--yes', manager, 'install'], { cwd: folder, env: userEnv(registry) })
    assert.equal(await verifiedAccount(await startSite(t, ['npx', '--yes', manager], folder)), 200)
    const words = ['--yes', manager, 'portico', 'backup', 'site.backup']
    assert.match(await runProgram(t, 'npx', words, { cwd: folder, env: userEnv('') }), /Verified +yes/)
    return folder
  }

  it('work with pnpm', async (t) => {
    await tryManager(t, 'pnpm@10', { '.npmrc': `registry=${registry}\n` })
  })

  it('work with yarn 1, which installs one Node', async (t) => {
    const folder = await tryManager(t, 'yarn@1', {
      '.npmrc': `registry=${registry}\n`,
      '.yarnrc': `registry "${registry}"\ncache-folder "${await temporaryFolder(t)}"\n`,
    })
    const names = readdirSync(join(folder, 'node_modules')).filter((name) => name.startsWith('portico-node-'))
    assert.deepEqual(names, [`portico-node-${process.platform}-${process.arch}`])
  })

  it('work with yarn 4, with and without node_modules', async (t) => {
    for (const linker of ['node-modules', 'pnp']) {
      const settings = [
        `npmRegistryServer: "${registry}"`,
        'unsafeHttpWhitelist: ["127.0.0.1"]',
        'enableGlobalCache: false',
        `nodeLinker: ${linker}`,
      ]
      const files = { '.yarnrc.yml': `${settings.join('\n')}\n`, 'yarn.lock': '' }
      await tryManager(t, '@yarnpkg/cli-dist@4', files)
    }
  })
})
