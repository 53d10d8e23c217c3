import { it } from 'node:test'
import { launchChromium } from '../browser.ts'
import { startProcess } from '../process.ts'
import { FOLDER, noteProcess } from './note.ts'

// Both children have children: the workers of the service, and those of the browser.
it('waits while its children run', async (t) => {
  const portico = await startProcess(t, { WORKERS: '2', DATA_DIR: FOLDER })
  await portico.logged('2: ● Listening on')
  const browser = await launchChromium(t)
  await browser.newPage()
  noteProcess(process.pid)
  await new Promise((ended) => browser.once('disconnected', ended))
})
