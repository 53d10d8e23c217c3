import { version } from '../lib/version.ts'
import type { Invocation } from './command.ts'

export async function run({ json, terminal }: Invocation): Promise<undefined> {
  const { node, sqlite } = process.versions
  if (json) terminal.printJson({ portico: version, node, sqlite })
  else terminal.print(`Portico ${version}, Node ${node}, SQLite ${sqlite}`)
}
