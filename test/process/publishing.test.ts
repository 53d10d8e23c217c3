import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { startProcess, startReady } from '../support/process.ts'
import { temporaryDatabase } from '../support/service.ts'
import { eventually, markdown } from '../support/site.ts'

it('a service publishes new content in development at once, and in production after SIGHUP', async (t) => {
  const folder = await temporaryFolder(t)
  const CONTENT_DIR = join(folder, 'content')
  for (const made of ['content/posts', 'a', 'b']) await mkdir(join(folder, made), { recursive: true })
  const [development, production] = await Promise.all([
    startReady(t, { CONTENT_DIR, DATA_DIR: join(folder, 'a') }),
    startReady(t, {
      CONTENT_DIR,
      DATA_DIR: join(folder, 'b'),
      NODE_ENV: 'production',
      BASE_URL: 'https://portico.example',
      HOST: '127.0.0.1',
      SMTP_URL: 'smtp://127.0.0.1:9',
    }),
  ])
  await development.logged('graph     none (GITHUB_USERNAME and GITHUB_TOKEN are not both set)')
  await production.logged('content: 0 posts, 0 pages')

  await writeFile(join(CONTENT_DIR, 'posts/fresh.md'), markdown({ title: 'Fresh', date: '2024-01-01' }))
  const isThere = async (portico: { url: string }) => (await get(portico, '/blog/fresh')).status === 200
  await eventually(async () => assert.ok(await isThere(development)))
  assert.equal(await isThere(production), false)

  production.child.kill('SIGHUP')
  await eventually(async () => assert.ok(await isThere(production)))
  await production.logged('content: 1 post, 0 pages')
  assert.equal(await production.stop(), 0)
})

it('a service survives SIGHUP during its start in production', async (t) => {
  const env = await temporaryDatabase(t, 'postgres')
  const url = new URL(env.DATABASE_URL ?? '')
  const postgresPort = Number(url.port)
  // Connections are forwarded to PostgreSQL only after the signal: the process cannot finish its start before.
  const sockets: Socket[] = []
  const signalled = Promise.withResolvers<void>()
  const proxy = createServer(async (socket) => {
    sockets.push(socket.on('error', () => {}))
    await signalled.promise
    const postgres = connect(postgresPort, '127.0.0.1').on('error', () => socket.destroy())
    sockets.push(postgres)
    socket.pipe(postgres).pipe(socket)
  }).listen(0, '127.0.0.1')
  cleanUp(t, () => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(proxy, 'listening')
  url.port = String((proxy.address() as AddressInfo).port)
  const connected = once(proxy, 'connection')
  const portico = await startProcess(t, {
    ...env,
    DATABASE_URL: url.href,
    NODE_ENV: 'production',
    BASE_URL: 'https://portico.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
  })
  await connected
  portico.child.kill('SIGHUP')
  signalled.resolve()
  await portico.logged('Portico is ready')
  assert.equal(await portico.stop(), 0)
})
