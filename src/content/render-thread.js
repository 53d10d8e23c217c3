// @ts-check
// The worker thread of `render-threads.ts`. It posts the result of each message, or the error.
import { readlinkSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'

if (workerData.priority === 'low') {
  try {
    // On Linux, each thread has a priority of its own (setpriority(2)).
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_LOW)
  } catch {
    // The system has no /proc, or forbids it.
  }
}

// Without the cache, the thread would load the type stripper of Node. The file is plain JavaScript for the same reason.
if (workerData.compileCacheFolder) enableCompileCache(workerData.compileCacheFolder)
const { createRenderer } = await import('./markdown.ts')
const { surveyedFacts } = await import('./packed-facts.ts')

const render = createRenderer()

parentPort?.on('message', (/** @type {import('./render-threads.ts').RenderWork} */ { markdown, result }) => {
  try {
    const rendered = render(markdown)
    parentPort?.postMessage({ value: result === 'facts' ? surveyedFacts(rendered) : rendered })
  } catch (error) {
    parentPort?.postMessage({ error })
  }
})
