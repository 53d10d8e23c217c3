import { wholeFolder } from './whole-folder.ts'

// Two processes share this folder: one alone would run longer than all others.
await wholeFolder('api', { before: 'r' })
