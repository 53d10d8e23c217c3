import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** Writes the type declarations of `src/index.ts`, and of the files whose types it uses. */
export function writeDeclarations(root: string, folder: string): void {
  const temporary = mkdtempSync(join(tmpdir(), 'portico-types-'))
  try {
    execFileSync(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', join(root, 'scripts/build/tsconfig.json'), '--outDir', temporary],
      { stdio: 'inherit' },
    )
    for (const file of reachable(join(temporary, 'src/index.d.ts'))) {
      cpSync(file, join(folder, relative(join(temporary, 'src'), file)))
    }
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

function reachable(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from ['"](\.[^'"]+)\.[jt]s['"]/g)) {
    reachable(join(dirname(file), `${path}.d.ts`), found)
  }
  return found
}
