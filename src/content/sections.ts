import { posix } from 'node:path'
import { ContentFault } from './fault.ts'
import type { YamlFields } from './yaml-fields.ts'

/** Pages that belong together, as site.yaml lists them. */
export interface Section {
  title: string
  pages: ListedPage[]
}

interface ListedPage {
  /** Relative to the content folder, such as pages/guides/backup.md. */
  file: string
  /** The line number of site.yaml. */
  line: number
}

const HOME = 'pages/index.md'

/** Reads a list of { title, pages }. The pages are files, relative to `pages/`. */
export function readSections(fields: YamlFields, name: string): Section[] {
  return fields.titledLists(name, 'pages').map(({ title, items }) => ({
    title,
    pages: items.map(({ text, line }) => ({ file: posix.join('pages', text), line })),
  }))
}

/**
 * A fault for each listed page that is missing or listed before, and for each page that is in the folder of a listed
 * page without being listed itself. `isFile` tells whether the content folder has a file.
 */
export function sectionFaults(
  sections: Section[],
  pages: { file: string; isDraft: boolean }[],
  isFile: (file: string) => boolean,
): ContentFault[] {
  const listed = new Map<string, string>()
  const faults = sections.flatMap(({ title, pages }) =>
    pages.flatMap(({ file, line }) => {
      const why = whyNotListed(file, listed.get(file))
      listed.set(file, listed.get(file) ?? title)
      return why ? [new ContentFault('site.yaml', line, why)] : []
    }),
  )
  const folders = new Set([...listed.keys()].map(posix.dirname).filter((folder) => folder !== 'pages'))
  const unlisted = pages.filter(
    ({ file, isDraft }) => !isDraft && !listed.has(file) && folders.has(posix.dirname(file)),
  )
  return [
    ...faults,
    ...unlisted.map(({ file }) => new ContentFault(file, 1, 'is in no section of site.yaml, unlike its neighbours')),
  ]

  function whyNotListed(file: string, former: string | undefined): string | undefined {
    if (file === HOME) return `${file} is the home page: it cannot be in a section`
    if (!isFile(file)) return `there is no page ${file}: "pages" has files of pages/, such as guides/backup.md`
    return former === undefined ? undefined : `${file} is listed twice: it is in the section "${former}" already`
  }
}

/** The sections with those of their pages that are published. A page belongs to the first section that lists it. */
export function filledSections<T extends { file: string }>(
  sections: Section[],
  published: T[],
): { title: string; pages: T[] }[] {
  const byFile = new Map(published.map((page) => [page.file, page]))
  byFile.delete(HOME)
  return sections
    .map(({ title, pages }) => ({
      title,
      pages: pages.flatMap(({ file }) => {
        const page = byFile.get(file)
        byFile.delete(file)
        return page ? [page] : []
      }),
    }))
    .filter(({ pages }) => pages.length > 0)
}
