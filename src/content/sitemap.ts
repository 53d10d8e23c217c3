import { Readable } from 'node:stream'
import { SitemapStream, streamToPromise } from 'sitemap'

export async function createSitemap(
  baseUrl: string,
  pages: { path: string; modified?: Date | undefined }[],
): Promise<string> {
  const stream = new SitemapStream({
    hostname: baseUrl,
    xmlns: { news: false, xhtml: false, image: false, video: false },
  })
  const entries = pages.map(({ path, modified }) => ({
    url: baseUrl + path,
    ...(modified && { lastmod: modified.toISOString() }),
  }))
  return (await streamToPromise(Readable.from(entries).pipe(stream))).toString()
}
