import { it } from 'node:test'

it('never ends', () => new Promise(() => setInterval(() => {}, 1000)))
it('comes after it', () => {})
