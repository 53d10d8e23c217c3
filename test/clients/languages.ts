import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'

export interface Command {
  program: string
  parameters: string[]
  env?: Record<string, string>
}

/** A programming language: how openapi-generator makes a client for it, and how the client is compiled and used. */
export interface Language {
  name: string
  /** The name of the generator, and its options. */
  generator: string
  options: string[]
  /** The programs that must be installed, with the command for their version, and the packages to install. */
  tools: { program: string; parameters: string[]; install: string }[]
  /** Moves the files of the journey to where the language expects them. */
  arrange?(folder: string): Promise<void>
  /** The commands, in the folder that has the journey, and the generated client in `client`. */
  compile(cache: string): Command[]
  journey(cache: string): Command
}

const pythonIn = (cache: string) => join(cache, 'python', 'bin', 'python')
const cargo = (cache: string, ...parameters: string[]): Command => ({
  program: 'cargo',
  parameters: [...parameters, '--quiet'],
  env: { CARGO_TARGET_DIR: join(cache, 'rust') },
})
const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc')
const TYPES = join(import.meta.dirname, '../../node_modules/@types')

export const LANGUAGES: Language[] = [
  {
    name: 'python',
    generator: 'python',
    options: ['--package-name', 'portico'],
    tools: [
      {
        program: 'python3',
        parameters: ['-c', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)'],
        install: 'Python 3.10 or later with venv and pip (Debian: python3-venv)',
      },
    ],
    compile: (cache) => [
      { program: 'python3', parameters: ['-m', 'venv', join(cache, 'python')] },
      {
        program: pythonIn(cache),
        parameters: ['-m', 'pip', 'install', '--quiet', '--requirement', 'client/requirements.txt'],
      },
      { program: pythonIn(cache), parameters: ['-m', 'compileall', '-q', 'client/portico'] },
    ],
    journey: (cache) => ({ program: pythonIn(cache), parameters: ['journey.py'], env: { PYTHONPATH: 'client' } }),
  },
  {
    name: 'go',
    generator: 'go',
    options: [
      ...['--package-name', 'portico', '--git-host', 'example.com'],
      ...['--git-user-id', 'portico', '--git-repo-id', 'client'],
    ],
    tools: [{ program: 'go', parameters: ['version'], install: 'Go 1.23 or later' }],
    async arrange(folder) {
      await mkdir(join(folder, 'client/journey'))
      await rename(join(folder, 'journey.go'), join(folder, 'client/journey/main.go'))
    },
    compile: () => [{ program: 'go', parameters: ['-C', 'client', 'vet', './...'] }],
    journey: () => ({ program: 'go', parameters: ['-C', 'client', 'run', './journey'] }),
  },
  {
    name: 'typescript',
    generator: 'typescript-fetch',
    options: ['--additional-properties', 'importFileExtension=.js'],
    tools: [],
    compile: () => [{ program: TSC, parameters: ['--typeRoots', TYPES] }],
    journey: () => ({ program: process.execPath, parameters: ['compiled/journey.js'] }),
  },
  {
    name: 'rust',
    generator: 'rust',
    options: ['--package-name', 'portico'],
    tools: [{ program: 'cargo', parameters: ['--version'], install: 'Rust with cargo (https://rustup.rs)' }],
    compile: (cache) => [cargo(cache, 'build')],
    journey: (cache) => cargo(cache, 'run'),
  },
]
