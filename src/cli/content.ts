import { relative } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { checkContent, type WaitingDocument } from '../content/check-content.ts'
import type { ContentFault } from '../content/fault.ts'
import { counted } from '../lib/counted.ts'
import { printable } from '../lib/printable.ts'
import { CommandError, EXIT, type Invocation } from './command.ts'

export async function check({ flag, json, terminal }: Invocation): Promise<number> {
  const { contentDir, baseUrl } = loadConfig()
  const { exists, posts, pages, drafts, scheduled, faults, warnings } = await checkContent(contentDir, baseUrl)
  if (!exists) throw new CommandError(`There is no content folder ${contentDir} (CONTENT_DIR).`)
  const waiting = drafts.length + scheduled.length
  const isOk = faults.length === 0 && (warnings.length === 0 || !flag('strict'))
  if (json) {
    terminal.printJson({
      ok: isOk,
      posts,
      pages,
      waiting,
      drafts: drafts.map(waitingToJson),
      scheduled: scheduled.map(waitingToJson),
      faults: faults.map(toJson),
      warnings: warnings.map(toJson),
    })
    return isOk ? EXIT.ok : EXIT.failed
  }
  const folder = relative('.', contentDir) || '.'
  for (const { message } of faults) terminal.print(printable(`${folder}/${message}`))
  for (const { message } of warnings) terminal.print(printable(`${folder}/${message} (warning)`))
  for (const { file, date } of scheduled)
    terminal.print(printable(`${folder}/${file} appears at ${date?.toISOString()}`))
  const read = [counted(posts, 'post'), counted(pages, 'page'), `${waiting} not public yet`].join(', ')
  terminal.print(`${read}: ${counted(faults.length, 'fault')}, ${counted(warnings.length, 'warning')}`)
  return isOk ? EXIT.ok : EXIT.failed
}

function toJson({ file, line, problem }: ContentFault) {
  return { file, line, problem }
}

function waitingToJson({ file, title, path, date }: WaitingDocument) {
  return { file, title, path, date: date?.toISOString() ?? null }
}
