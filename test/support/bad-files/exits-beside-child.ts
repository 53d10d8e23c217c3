import { it } from 'node:test'
import { startChild } from '../child.ts'
import { noteProcess } from './note.ts'

// The child holds the output of the file, which the runner reads to its end.
it('exits beside a child', (t) => {
  const child = startChild(t, process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  noteProcess(child.pid)
  process.exit(1)
})
