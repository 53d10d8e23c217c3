/** The facts about a picture that are in its first bytes. */
export interface PictureHeader {
  /** In pixels, as browsers show the picture: turned by its EXIF orientation. */
  width: number
  height: number
  /** Whether the picture may have several frames. */
  isAnimated: boolean
}

/** A file of the content folder, as it was when the folder was read. */
export interface PictureFile {
  /** The name below the content folder. */
  file: string
  /** The absolute path, with symbolic links resolved. */
  path: string
  modified: Date
  size: number
}

export const PICTURE_FORMATS = ['avif', 'webp'] as const
export type PictureFormat = (typeof PICTURE_FORMATS)[number]

/** The sizes that were made of a picture. */
export interface PictureSizes extends Record<PictureFormat, number[]> {
  /** Identifies the content of the picture and the way in which its sizes are made. Part of their addresses. */
  key: string
  width: number
  height: number
}

/** Why no sizes can be made of a picture. */
export interface PictureProblem {
  problem: string
}

/** The name of a size in the store, and the last part of its address. */
export function pictureName(key: string, width: number, format: PictureFormat): string {
  return `${key}-${width}.${format}`
}
