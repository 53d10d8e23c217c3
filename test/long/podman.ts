import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram, startChild } from '../support/child.ts'
import { type CleanedUp, cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { ensureInstalled } from '../support/install.ts'
import { userEnv } from '../support/packages.ts'

export interface Podman {
  /** Runs a command of podman to its end, and returns what it prints. */
  run(...args: string[]): Promise<string>
  /** Runs a command of podman, and returns its exit code. */
  exitCode(...args: string[]): Promise<number | null>
}

// A container may have at most the limits of this process, which may not be allowed to raise them.
const LIMITS = ['--ulimit=nofile=4096:4096', '--ulimit=nproc=4096:4096']

/** The options of `podman run` for a container that may do as little as possible. */
export const HARDENED = [
  '--read-only',
  '--read-only-tmpfs=false',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
  ...LIMITS,
]

/** podman with a storage of its own, which is removed with all containers when the test is over. Needs root. */
export async function startPodman(test: CleanedUp): Promise<Podman> {
  const program = await ensureInstalled('/usr/bin/podman', 'podman')
  await ensureInstalled('/usr/bin/conmon', 'conmon')
  // crun, the other runtime, refuses machines that have both versions of control groups.
  await ensureInstalled('/usr/sbin/runc', 'runc')
  const folder = await temporaryFolder(test)
  const places = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const options = ['--runtime=runc', '--cgroup-manager=cgroupfs', '--events-backend=file']
  const globals = [...places, ...options]
  const run = (...args: string[]) => runProgram(test, program, [...globals, ...args])
  // Also unmounts the storage, so that the folder can be removed.
  cleanUp(test, () => run('system', 'reset', '--force'))
  return {
    run,
    exitCode: async (...args) => {
      const [code] = await once(startChild(test, program, [...globals, ...args], { stdio: 'ignore' }), 'close')
      return code
    },
  }
}

// What gcr.io/distroless/cc is made of, except data for time zones and certificates, which Node has of its own.
const BASE_PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6']

/**
 * Makes the images that the Dockerfile begins with from Debian packages, because a registry may be unreachable:
 * `localhost/build` is a small Debian with the Node and npm of this machine, whose npm uses this registry, and
 * `localhost/base` has the C and C++ libraries alone.
 */
export async function importBaseImages(test: CleanedUp, podman: Podman, registry: string): Promise<void> {
  const debootstrap = await ensureInstalled('/usr/sbin/debootstrap', 'debootstrap')
  const folder = await temporaryFolder(test)
  const [build, base] = [join(folder, 'build'), join(folder, 'base')]
  const [, release = 'stable'] = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile('/etc/os-release', 'utf8')) ?? []
  await runProgram(test, debootstrap, ['--variant=minbase', release, build])

  const archives = join(build, 'var/cache/apt/archives')
  const files = (await readdir(archives)).filter((file) => BASE_PACKAGES.includes(file.split('_')[0] ?? ''))
  for (const file of files) await runProgram(test, 'dpkg-deb', ['-x', join(archives, file), base])
  await rm(archives, { recursive: true })

  const options = { env: userEnv('') }
  const node = await runProgram(test, 'node', ['-p', 'process.execPath'], options)
  const modules = await runProgram(test, 'npm', ['root', '--global'], options)
  await cp(node.trim(), join(build, 'usr/local/bin/node'))
  await cp(join(modules.trim(), 'npm'), join(build, 'usr/local/lib/node_modules/npm'), { recursive: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(build, 'usr/local/bin/npm'))

  await mkdir(join(build, 'usr/local/etc'), { recursive: true })
  await writeFile(join(build, 'usr/local/etc/npmrc'), `registry=${registry}\n`)

  for (const [name, root] of Object.entries({ build, base })) {
    await runProgram(test, 'tar', ['-C', root, '-cf', `${root}.tar`, '.'])
    await podman.run('import', `${root}.tar`, `localhost/${name}`)
  }
}
