// @ts-check
// The process of `picture-maker.ts`. It makes the sizes of pictures and draws social cards, one task at a time. It is a
// process and not a thread, because libvips allows the same decoders to all threads of a process, because a picture
// that crashes libvips ends this process only, and because its memory is returned to the system when it ends.
import { lowerProcessPriority } from '../lib/low-priority.js'
import { drawCard } from './cards/draw.ts'
import { installFonts } from './cards/fonts.ts'
import { makeSizes } from './make-sizes.ts'
import { createPictureStore } from './picture-store.ts'

const [, , storeFolder = '', fontFolder = '', cpuLimitMs = ''] = process.argv
const store = createPictureStore(storeFolder)
const CPU_CHECK_INTERVAL_MS = 100
/** @type {Promise<void> | undefined} */
let fonts

// With the lowest priority, the kernel runs the threads that serve requests first (lib/low-priority.js).
lowerProcessPriority()

process.on('disconnect', () => process.exit())
process.on('message', async (/** @type {import('./picture-maker.ts').PictureTask} */ task) => {
  const limit = endAtCpuLimit()
  try {
    process.send?.({ result: await perform(task) })
  } catch (error) {
    // Errors of the system have a code, such as ENOSPC. They say nothing about the picture.
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error)
    process.send?.({ problem: message, code })
  } finally {
    clearInterval(limit)
  }
})

/**
 * Ends the process when a task has used too much CPU time. Time in which the process waits for a core does not count:
 * the process has the lowest priority. libvips runs in threads of its own, so the timer fires while it computes.
 */
function endAtCpuLimit() {
  const start = process.cpuUsage()
  return setInterval(() => {
    const { user, system } = process.cpuUsage(start)
    if ((user + system) / 1000 > Number(cpuLimitMs)) process.exit(1)
  }, CPU_CHECK_INTERVAL_MS)
}

/** @param {import('./picture-maker.ts').PictureTask} task */
async function perform(task) {
  if ('path' in task) return makeSizes(task.path, store)
  fonts ??= installFonts(fontFolder).catch((error) => {
    // The next card tries again.
    fonts = undefined
    throw error
  })
  await fonts
  return drawCard(task.card)
}
