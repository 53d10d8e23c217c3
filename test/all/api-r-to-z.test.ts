import { wholeFolder } from '../support/whole-folder.ts'

await wholeFolder('api', { from: 'r' })
