import type { Site } from '../content/site.ts'
import { Html } from './html.ts'

/** A link of the breadcrumb trail. */
export interface Crumb {
  title: string
  path: string
}

interface DescribedPage {
  path: string
  title: string
  description: string
  modified?: Date | undefined
  isIndexed?: boolean
  article?: { published: Date; modified: Date; tags: string[] }
  preview?: { path: string } | undefined
  trail?: Crumb[]
}

type DescribedSite = Pick<Site, 'title' | 'description' | 'author' | 'language' | 'links' | 'search'>

/**
 * The subject of the page, in the vocabulary of schema.org, as JSON-LD. A `script` element of this type is a data block
 * (HTML, section 4.12.1): no browser executes it, and the content security policy does not concern it.
 */
export function structuredData(
  { site, baseUrl }: { site: DescribedSite; baseUrl: string },
  page: DescribedPage,
): Html | false {
  if (page.isIndexed === false) return false
  const parts =
    page.path === '/'
      ? [webSite(site, baseUrl, page)]
      : [
          page.article ? blogPosting(site, baseUrl, page, page.article) : webPage(site, baseUrl, page),
          breadcrumbs(baseUrl, page, page.trail ?? []),
        ]
  return new Html(
    `<script type="application/ld+json">${asScript({ '@context': 'https://schema.org', '@graph': parts })}</script>\n`,
  )
}

/** JSON in which no text can end the element or begin a comment: `<` occurs in JSON strings only. */
function asScript(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function webSite(site: DescribedSite, baseUrl: string, { modified }: DescribedPage) {
  return {
    '@type': 'WebSite',
    '@id': `${baseUrl}/#website`,
    url: `${baseUrl}/`,
    name: site.title,
    description: site.description,
    ...(modified && { dateModified: modified.toISOString() }),
    inLanguage: site.language,
    publisher: person(site, baseUrl),
    ...(site.search && {
      potentialAction: {
        '@type': 'SearchAction',
        target: { '@type': 'EntryPoint', urlTemplate: `${baseUrl}/search?q={search_term_string}` },
        'query-input': 'required name=search_term_string',
      },
    }),
  }
}

function webPage({ language }: DescribedSite, baseUrl: string, { path, title, description, modified }: DescribedPage) {
  return {
    '@type': 'WebPage',
    '@id': baseUrl + path,
    url: baseUrl + path,
    name: title,
    ...(description && { description }),
    ...(modified && { dateModified: modified.toISOString() }),
    inLanguage: language,
    isPartOf: { '@id': `${baseUrl}/#website` },
  }
}

function blogPosting(
  site: DescribedSite,
  baseUrl: string,
  { path, title, description, preview }: DescribedPage,
  { published, modified, tags }: NonNullable<DescribedPage['article']>,
) {
  return {
    '@type': 'BlogPosting',
    '@id': `${baseUrl}${path}#post`,
    url: baseUrl + path,
    mainEntityOfPage: baseUrl + path,
    headline: title,
    ...(description && { description }),
    ...(preview && { image: baseUrl + preview.path }),
    datePublished: published.toISOString(),
    dateModified: modified.toISOString(),
    inLanguage: site.language,
    author: person(site, baseUrl),
    publisher: person(site, baseUrl),
    ...(tags.length > 0 && { keywords: tags }),
  }
}

function person({ author, links }: DescribedSite, baseUrl: string) {
  const profiles = links.map(({ url }) => url).filter((url) => /^https?:/i.test(url))
  return {
    '@type': 'Person',
    '@id': `${baseUrl}/#person`,
    name: author,
    url: `${baseUrl}/`,
    ...(profiles.length > 0 && { sameAs: profiles }),
  }
}

/** The home page, the pages above this one, and this one. */
function breadcrumbs(baseUrl: string, { path, title }: DescribedPage, trail: Crumb[]) {
  const crumbs = [{ title: 'Home', path: '/' }, ...trail, { title, path }]
  return {
    '@type': 'BreadcrumbList',
    itemListElement: crumbs.map((crumb, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name: crumb.title,
      item: baseUrl + crumb.path,
    })),
  }
}
