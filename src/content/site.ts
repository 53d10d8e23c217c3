import { YamlFields } from './yaml-fields.ts'

/** What the owner says of the site as a whole, in `site.yaml`. */
export interface Site {
  title: string
  description: string
  author: string
  language: string
  theme: 'system' | 'light' | 'dark'
  font: 'sans' | 'serif' | 'mono'
  navigation: { title: string; url: string }[]
  links: { title: string; url: string }[]
}

export const DEFAULT_SITE: Site = {
  title: 'Portico',
  description: 'A developer’s own site.',
  author: 'The author',
  language: 'en',
  theme: 'system',
  font: 'sans',
  navigation: [{ title: 'Blog', url: '/blog' }],
  links: [],
}

export function readSite(file: string, text: string): Site {
  const fields = new YamlFields(file, text)
  return {
    title: fields.requiredText('title'),
    description: fields.text('description') ?? '',
    author: fields.text('author') ?? fields.requiredText('title'),
    language: fields.text('language') ?? 'en',
    theme: fields.oneOf('theme', ['system', 'light', 'dark'], 'system'),
    font: fields.oneOf('font', ['sans', 'serif', 'mono'], 'sans'),
    navigation: fields.links('navigation'),
    links: fields.links('links'),
  }
}
