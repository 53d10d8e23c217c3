// @ts-check
// The process of `picture-maker.ts`. It makes the sizes of pictures and draws social cards, one task at a time. It is a
// process and not a thread, because libvips allows the same decoders to all threads of a process, because a picture
// that crashes libvips ends this process only, and because its memory is returned to the system when it ends.
import { constants, setPriority } from 'node:os'
import { drawCard } from './cards/draw.ts'
import { installFonts } from './cards/fonts.ts'
import { makeSizes } from './make-sizes.ts'
import { createPictureStore } from './picture-store.ts'

const [, , storeFolder = '', fontFolder = ''] = process.argv
const store = createPictureStore(storeFolder)
/** @type {Promise<void> | undefined} */
let fonts

try {
  // Requests come first.
  setPriority(constants.priority.PRIORITY_LOW)
} catch {
  // Some systems forbid it.
}

process.on('disconnect', () => process.exit())
process.on('message', async (/** @type {import('./picture-maker.ts').PictureTask} */ task) => {
  try {
    process.send?.({ result: await perform(task) })
  } catch (error) {
    // Errors of the system have a code, such as ENOSPC. They say nothing about the picture.
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error)
    process.send?.({ problem: message, code })
  }
})

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
