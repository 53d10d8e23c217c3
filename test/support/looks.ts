import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'

/** The windows that pages are looked at in. */
export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1280, height: 900 }

/** What the browser computed for each of them, such as rgb(1, 2, 3) for a colour of the scheme it is in. */
export function styles(elements: Locator, property: string): Promise<string[]> {
  return elements.evaluateAll(
    (all, name) => all.map((element) => element.ownerDocument.defaultView.getComputedStyle(element)[name]),
    property,
  )
}

export async function style(element: Locator, property: string): Promise<string> {
  const [value] = await styles(element, property)
  assert.ok(value, `${element} has no ${property}`)
  return value
}

/** Each label is inside of its picture, and none lies on another. */
export async function assertApart(picture: Locator, labels: Locator): Promise<void> {
  const [frame] = await boxes(picture)
  const placed = await boxes(labels)
  assert.ok(frame)
  placed.forEach((box, index) => {
    assert.ok(box.right - box.left > 5 && box.bottom - box.top > 5, 'a label is not shown')
    assert.ok(isInside(box, frame), 'a label is cut off')
    assert.ok(!placed.slice(index + 1).some((other) => overlap(box, other)), 'a label lies on another')
  })
}

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

const boxes = (elements: Locator): Promise<Box[]> =>
  elements.evaluateAll((all) => all.map((element) => element.getBoundingClientRect().toJSON()))

const isInside = (box: Box, frame: Box) =>
  box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** The WCAG contrast of two computed colours. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [, ...channels] = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour) ?? []
  if (channels.length !== 3) throw new Error(`${colour} is no opaque colour`)
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = Number(channel) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
