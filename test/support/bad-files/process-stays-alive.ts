import { it } from 'node:test'

it('leaves a timer', () => {
  setInterval(() => {}, 1000)
})
