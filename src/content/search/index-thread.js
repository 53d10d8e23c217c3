// @ts-check
// The worker thread of `build-search-index.ts`. It adds the pages of each message to an index, and posts the index
// after a message without pages. The file is plain JavaScript, so that the thread starts without loading the type
// stripper.
import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../lib/low-priority.js'

// With the lowest priority, the kernel runs the threads that serve requests first (lib/low-priority.js).
lowerThreadPriority()

if (workerData.compileCacheFolder) enableCompileCache(workerData.compileCacheFolder)
const { createIndexBuilder } = await import('./search-index.ts')

const builder = createIndexBuilder()

parentPort?.on('message', (/** @type {import('./search-index.ts').SearchedPage[]} */ pages) => {
  for (const page of pages) builder.add(page)
  if (pages.length > 0) return parentPort?.postMessage(undefined)
  const index = builder.finish()
  const { letters, starts, occurrences, firstPassages, pageOfPassage } = index
  const numbers = [letters, starts, occurrences, firstPassages, pageOfPassage]
  parentPort?.postMessage(
    index,
    numbers.map(({ buffer }) => buffer),
  )
})
