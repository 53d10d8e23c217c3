import fc from 'fast-check'

/** Any colour in the notation `#rrggbb`. */
export const hexColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`)
