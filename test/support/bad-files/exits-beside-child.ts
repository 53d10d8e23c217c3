import { it } from 'node:test'
import { startChild } from '../child.ts'
import { noteProcess } from './note.ts'

// The child inherits the output of the file, which the runner reads to its end.
it('exits while its child runs', (t) => {
  const child = startChild(t, process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  noteProcess(child.pid)
  process.exit(1)
})
