import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { Refusal } from '../../src/http/refusal.ts'
import { attachmentResponse } from '../../src/publishing/attachment-file.ts'
import type { PlannedFile, responsesOf } from '../../src/publishing/page-variants.ts'
import { temporaryFolder } from '../support/clean-up.ts'

it('a drawing that was replaced since the folder was read leads to no other file', async (test) => {
  const folder = await temporaryFolder(test)
  const [path, secret] = [join(folder, 'a.svg'), join(folder, 'secret')]
  await writeFile(secret, 'secret')
  const picture = { file: 'images/a.svg', path, modified: new Date(), size: 6, header: undefined, problem: undefined }
  // The response is the plan of the file, whose content is read when it is called.
  const responses = { file: (planned: PlannedFile) => planned } as unknown as ReturnType<typeof responsesOf>
  const index = { find: () => undefined, set: () => {} }
  const planned = attachmentResponse({ ...picture, address: '/images/a.svg', type: 'image/svg+xml' }, responses, index)
  const read = async () => (planned as unknown as PlannedFile).content()

  await writeFile(path, '<svg/>')
  assert.equal(String(await read()), '<svg/>')
  for (const replace of [
    () => symlink(secret, path),
    () => mkdir(path),
    async () => execFileSync('mkfifo', [path]),
    () => writeFile(path, Buffer.alloc(10 * 1024 * 1024 + 1)),
    async () => {},
  ]) {
    await rm(path, { recursive: true, force: true })
    await replace()
    await assert.rejects(read, Refusal, String(replace))
  }
})
