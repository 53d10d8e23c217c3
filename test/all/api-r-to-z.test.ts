import { wholeFolder } from './whole-folder.ts'

await wholeFolder('api', { from: 'r' })
