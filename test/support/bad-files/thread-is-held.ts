import { it } from 'node:test'
import { noteProcess } from './note.ts'

it('blocks its thread', () => {
  noteProcess(process.pid)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
