import { installPackage } from '../test/support/install.ts'

/** better-auth is needed for measurements only, so it is installed here, at its first use. Returns its version. */
export const installContenders = () => installPackage(import.meta.dirname, 'better-auth')
