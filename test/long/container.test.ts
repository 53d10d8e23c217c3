import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { runProgram } from '../support/child.ts'
import { cleanUp, suiteCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { freePort } from '../support/local-servers.ts'
import { report } from '../support/measuring.ts'
import { startRegistry, userEnv } from '../support/packages.ts'
import { runPortico } from '../support/process.ts'
import { eventually } from '../support/site.ts'
import { HARDENED, importBaseImages, type Podman, startPodman } from './podman.ts'

const IMAGE = 'localhost/my-site'
const SETTINGS = ['--env=BASE_URL=https://example.com', '--env=SMTP_URL=smtp://127.0.0.1:9', '--env=HOST=127.0.0.1']
const MEGABYTE = 1_000_000

/** The image is built and run by podman as root, without a daemon, on Debian. */
describe('the image of a site', () => {
  const suite = suiteCleanUp()
  let podman: Podman
  before(async () => {
    podman = await startPodman(suite)
    const registry = await startRegistry(suite)
    await importBaseImages(suite, podman, registry)
    const site = join(await temporaryFolder(suite), 'my-site')
    assert.equal((await runPortico(suite, ['init', site, '--yes', '--no-install'])).code, 0)
    await runProgram(suite, 'npm', ['install', '--no-audit', '--no-fund'], { cwd: site, env: userEnv(registry) })
    for (const file of ['Dockerfile', '.dockerignore']) {
      await cp(join(site, 'node_modules/portico/deploy', file), join(site, file))
    }
    const images = ['--build-arg=BUILD_IMAGE=localhost/build', '--build-arg=BASE_IMAGE=localhost/base']
    const options = ['--format=docker', '--isolation=chroot', '--network=host', '--tag', IMAGE]
    await podman.run('build', ...options, ...images, site)
    const [{ Size }] = JSON.parse(await podman.run('image', 'inspect', IMAGE))
    report(`the image has ${Math.round(Size / MEGABYTE)} MB`)
  })

  it('serves as process 1, without root and with a read-only root, and ends with 0 at SIGTERM', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const name = ['--detach', '--name=site', '--network=host']
    await podman.run('run', ...name, ...HARDENED, ...SETTINGS, `--env=PORT=${port}`, '--volume=site-data:/data', IMAGE)
    await eventually(async () => assert.equal((await get({ url }, '/readyz')).status, 200))
    assert.match((await get({ url }, '/')).body, /<title>/)
    assert.equal(await podman.exitCode('healthcheck', 'run', 'site'), 0)
    const status = await podman.run('exec', 'site', 'node', '-p', "fs.readFileSync('/proc/1/status', 'utf8')")
    assert.match(status, /^Uid:\t65532\t/m)
    assert.match(status, /^CapEff:\t0+$/m)
    assert.match(await podman.run('exec', 'site', 'node', '-p', "fs.readFileSync('/proc/1/cmdline', 'utf8')"), /serve/)
    assert.notEqual(await podman.exitCode('exec', 'site', 'node', '-e', "fs.writeFileSync('/site/x', '')"), 0)
    assert.equal(await podman.exitCode('exec', 'site', 'node', '-e', "fs.statSync('/data/portico.db')"), 0)
    assert.equal(await podman.exitCode('exec', 'site', 'chrt', '--version'), 0)
    for (const program of ['sh', 'npm']) assert.notEqual(await podman.exitCode('exec', 'site', program), 0)

    await podman.run('stop', '--time=10', 'site')
    assert.equal((await podman.run('inspect', '--format={{.State.ExitCode}}', 'site')).trim(), '0')
    assert.match(await podman.run('logs', 'site'), /"message":"stopped"/)
  })

  it('ends at SIGTERM also while it waits for its database', async (t) => {
    const server = createServer()
    cleanUp(t, () => server.close())
    const port = await freePort()
    const connected = new Promise((resolve) => server.once('connection', resolve))
    server.listen(port, '127.0.0.1')
    const database = `--env=DATABASE_URL=postgres://portico@127.0.0.1:${port}/portico`
    await podman.run('run', '--detach', '--name=waiting', '--network=host', ...HARDENED, ...SETTINGS, database, IMAGE)
    await connected
    await podman.run('stop', '--time=10', 'waiting')
    // 137 would be SIGKILL.
    assert.equal((await podman.run('inspect', '--format={{.State.ExitCode}}', 'waiting')).trim(), '143')
  })
})
