import { wholeFolder } from '../support/whole-folder.ts'

await wholeFolder('unit')
