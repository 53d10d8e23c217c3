import { createHash } from 'node:crypto'

/** A file with the hash of its content in its path, so that caches may keep it forever. */
export interface Asset<Content extends string | Buffer = string | Buffer> {
  path: string
  content: Content
}

export function assetOf<Content extends string | Buffer>(
  name: string,
  extension: string,
  content: Content,
): Asset<Content> {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return { path: `/assets/${name}.${hash}.${extension}`, content }
}
