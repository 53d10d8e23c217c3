/**
 * The environment for a worker thread. `node --watch` sets WATCH_REPORT_DEPENDENCIES. With that variable, Node posts a
 * message for each module that a thread loads to the thread's parent, where it would be taken for a result.
 */
export function threadEnv(): NodeJS.ProcessEnv {
  const { WATCH_REPORT_DEPENDENCIES: _variable, ...env } = process.env
  return env
}
