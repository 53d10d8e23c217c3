import { wholeFolder } from './whole-folder.ts'

await wholeFolder('oauth')
