import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licences of the packages in the bundle, as their authors ask. Throws when a package has none. */
export function licencesOf(modules: string[]): string {
  const folders = new Set(modules.flatMap((id) => /^(?:.*)\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))
  const sections = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return `## ${name} ${version}\n\n${license}\n\n${textOf(folder)}\n`
  })
  return `# Licences of the packages in the bundle\n\n${sections.join('\n')}`
}

function textOf(folder: string): string {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name))
  if (file) {
    const text = readFileSync(join(folder, file), 'utf8').trim()
    return text.replace(/^/gm, '    ').replace(/^ +$/gm, '')
  }
  const { author, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!license) throw new Error(`${folder} has no licence`)
  const name = typeof author === 'string' ? author : author?.name
  return `    The package has no licence file. Author: ${name ?? 'not named'}.`
}
