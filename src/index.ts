/** The functions that programs can import from the package `portico`. */
export { version } from './lib/version.ts'
export { serve } from './process/serve.ts'
