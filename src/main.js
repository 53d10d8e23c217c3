// @ts-check
// Old versions of Node must be able to parse this file, so that it can print which version is needed. So this file has
// no static import, no top-level await and no recent syntax: a static import of a module or export that an old version
// lacks fails before the first line runs.
const NEEDED_NODE = 26

if (Number.parseInt(process.versions.node, 10) < NEEDED_NODE) {
  process.stderr.write(
    `Portico needs Node ${NEEDED_NODE} or later, and this is Node ${process.versions.node}. Run "npm start" in the folder of Portico: it installs Node ${NEEDED_NODE} there and uses it. Or get Node from https://nodejs.org\n`,
  )
  process.exit(1)
} else {
  import('./process/launch.js')
}
