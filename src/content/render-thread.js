// @ts-check
// The worker thread of `render-threads.ts`. It posts the result of each message, or the error. The file is plain
// JavaScript, so that the thread starts without loading the type stripper.
import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../lib/low-priority.js'

if (workerData.priority === 'low') lowerThreadPriority()

if (workerData.compileCacheFolder) enableCompileCache(workerData.compileCacheFolder)
const { createRenderer } = await import('./markdown.ts')
const { metadataAndCodeOf } = await import('./serialized-metadata.ts')

const render = createRenderer()

parentPort?.on('message', (/** @type {import('./render-threads.ts').RenderWork} */ { markdown, result }) => {
  try {
    const rendered = render(markdown)
    parentPort?.postMessage({ value: result === 'metadata' ? metadataAndCodeOf(rendered) : rendered })
  } catch (error) {
    parentPort?.postMessage({ error })
  }
})
