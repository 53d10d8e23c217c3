// Limits of the duration of a test file and of a whole run. The limit of one test or hook is `--test-timeout` in
// package.json.
const MINUTE_MS = 60_000

/** `npm run test:long` sets both. */
export const FILE_LIMIT_MS = Number(process.env.TEST_FILE_LIMIT_MINUTES || 25) * MINUTE_MS
export const RUN_LIMIT_MS = Number(process.env.TEST_RUN_LIMIT_MINUTES || 30) * MINUTE_MS

/** The time after its last test in which the process of a file must exit. */
export const EXIT_LIMIT_MS = Number(process.env.TEST_EXIT_LIMIT_SECONDS || 60) * 1000
