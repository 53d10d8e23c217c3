import { wholeFolder } from '../support/whole-folder.ts'

await wholeFolder('attack', { from: 'm' })
