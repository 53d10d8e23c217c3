// Functions that run in a page of Chromium. They are JavaScript because the types of the DOM are not those of Node.

/**
 * The differences between HTML and what the site writes, as Chromium parses it.
 *
 * @param {{
 *   pages: { name: string, html: string, twin?: string | undefined, isList?: boolean }[],
 *   elements: Record<string, string[]>,
 *   attributes: string[],
 *   addresses: Record<string, string>,
 *   schemes: string[],
 * }} rules `twin` is the same page with harmless texts. All its elements outside `main` must be those of its twin, and
 *   those of a list also inside. `elements` are the allowed elements of `main` by their namespace, `attributes` theirs,
 *   and `addresses` the attributes with addresses, each with the only element that has it.
 * @returns {string[]}
 */
export function findingsIn({ pages, elements, attributes, addresses, schemes }) {
  return pages.flatMap((page) => findingsOf(page).map((finding) => `${page.name}: ${finding}`))

  function findingsOf({ html, twin, isList }) {
    const document = parse(html)
    const parsedAgain = parse(document.documentElement.outerHTML)
    const expected = twin === undefined ? undefined : parse(twin)
    return [
      ...(outline(document) === outline(parsedAgain) ? [] : ['its elements change when it is parsed again']),
      ...(expected && outline(document, isList) !== outline(expected, isList)
        ? ['has other elements than its twin']
        : []),
      ...(expected && !isList ? findingsOfTexts(document) : []),
      ...Array.from(document.querySelectorAll('main *'), findingsOfElement).flat(),
    ]
  }

  function findingsOfTexts(document) {
    const shown = document.querySelector('h1').textContent
    const [post] = JSON.parse(document.querySelector('script[type="application/ld+json"]').text)['@graph']
    // The parser makes line feeds of all ends of lines.
    return post.headline.replace(/\r\n?/g, '\n') === shown ? [] : [`the structured data has the title ${post.headline}`]
  }

  function findingsOfElement(element) {
    const namespace = element.namespaceURI.split('/').at(-1)
    const isKnown = elements[namespace]?.includes(element.localName)
    return [
      ...(isKnown ? [] : [`has an element ${element.cloneNode().outerHTML}`]),
      ...Array.from(element.attributes).flatMap(({ name, value }) => {
        const isAllowed = name in addresses ? addresses[name] === element.localName : attributes.includes(name)
        if (!isAllowed) return [`has an attribute ${element.cloneNode().outerHTML}`]
        const url = name in addresses ? URL.parse(value, 'https://site.example/blog/') : null
        return url && !schemes.includes(url.protocol) ? [`has an address ${value}`] : []
      }),
    ]
  }

  function parse(html) {
    return new DOMParser().parseFromString(html, 'text/html')
  }

  /** The elements with the names of their attributes, but for those that the code of a page and its place add. */
  function outline(document, hasMain = true) {
    const added = 'head > script[type=module], head > link:is([rel=prev], [rel=next])'
    const left = hasMain ? added : `${added}, main *`
    return Array.from(document.querySelectorAll(`*:not(${left})`), (element) => {
      const names = Array.from(element.attributes, ({ name }) => name)
      return `${element.parentElement?.localName} > ${element.localName} ${names.join(' ')}`
    }).join('\n')
  }
}

/**
 * Sends these events to each element and clicks each link and button. Links to other pages are not followed. Resolves
 * when the scripts of the clicked links have run.
 *
 * @param {string[]} events
 */
export async function useEverything(events) {
  const keepPage = (event) => {
    const link = event.target.closest('a[href]')
    if (['http:', 'https:', 'mailto:'].includes(link?.protocol)) event.preventDefault()
  }
  document.addEventListener('click', keepPage, { capture: true })
  for (const element of document.querySelectorAll('*')) {
    for (const type of events) element.dispatchEvent(new Event(type))
  }
  for (const element of document.querySelectorAll('a, area, :not(.search-form) > button')) {
    element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, view: globalThis }))
  }
  const { promise, resolve } = Promise.withResolvers()
  globalThis.resolveLast = resolve
  // The scripts of links run in the order of the clicks.
  const last = document.body.appendChild(document.createElement('a'))
  last.href = 'javascript:resolveLast()'
  last.click()
  await promise
}
