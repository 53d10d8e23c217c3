import type { ContentReport } from './check-content.ts'

/** The state of the content folder, for the owners of the site. */
export interface ContentStatus {
  read(): Promise<ContentReport>
  /** Sets the function that returns the state that the running site was built from. Without it the folder is read. */
  setSource(source: () => Promise<ContentReport>): void
}

export function createContentStatus({ contentDir, baseUrl }: { contentDir: string; baseUrl: string }): ContentStatus {
  // Imported on demand: the renderer of markdown is large.
  let read = async () => (await import('./check-content.ts')).checkContent(contentDir, baseUrl)
  return {
    read: () => read(),
    setSource(source) {
      read = source
    },
  }
}
