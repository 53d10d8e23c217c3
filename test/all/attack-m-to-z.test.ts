import { wholeFolder } from './whole-folder.ts'

await wholeFolder('attack', { from: 'm' })
