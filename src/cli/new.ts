import { join, relative } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { createDocument, NotCreated } from '../content/new-document.ts'
import { printable } from '../lib/printable.ts'
import { CommandError, type Invocation } from './command.ts'

export const newPost = (invocation: Invocation) => create('post', invocation)
export const newPage = (invocation: Invocation) => create('page', invocation)

async function create(kind: 'post' | 'page', { args, flag, text, json, terminal }: Invocation): Promise<undefined> {
  const { contentDir } = loadConfig()
  const isDraft = !flag('publish')
  const title = args.join(' ')
  const { file, path, isNumbered } = await createDocument(contentDir, {
    kind,
    title,
    slug: text('slug'),
    isDraft,
    now: new Date(),
  }).catch((error) => {
    throw error instanceof NotCreated ? new CommandError(printable(error.message)) : error
  })
  const created = relative('.', join(contentDir, file))
  if (json) {
    terminal.printJson({ file: created, path, isDraft })
    return
  }
  terminal.print(created)
  if (isNumbered)
    terminal.note(`Its address is ${path}: the title has no letter from a to z and no digit. --slug chooses another.`)
  terminal.note(`In development, the running service has it at ${isDraft ? '/dev/drafts' : ''}${path}`)
  if (isDraft) terminal.note('Remove the line "draft: true" to publish it.')
}
