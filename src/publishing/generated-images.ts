import type { Library } from '../content/library.ts'
import { SIZES_PATH } from '../content/show-pictures.ts'
import { notFound, Refusal, unavailable } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import { isNotModified } from '../http/representation.ts'
import type { Request } from '../http/request.ts'
import { TooManyCards } from '../pictures/picture-maker.ts'
import type { Pictures } from '../pictures/pictures.ts'
import { type DiskFile, IMMUTABLE } from './page-variants.ts'

const SIZE_PATH = new RegExp(`^${SIZES_PATH}(/[^?#]+)/([\\w-]{22}-\\d{1,5}\\.(avif|webp))$`)
// The address has the hash of the content, which has no date.
const NO_DATE = new Date(0)

/**
 * The resized picture at a path. Undefined for another path, and for a picture that is no longer published, whose sizes
 * stay in the store for a while. Instances with different data folders do not make the sizes at the same time. So a
 * size that this instance does not have redirects to the original. A size of the previous content of the file does too.
 */
export function resizedPictureAt(
  path: string,
  pictures: Pictures,
  originals: Library['attachments'],
): DiskFile | undefined {
  const [, address = '', name = '', format = ''] = SIZE_PATH.exec(path) ?? []
  const original = originals.get(address)
  if (!original) return undefined
  const sendOriginal = (reply: Reply) => reply.header('cache-control', 'no-store').redirect(address, 307)
  const { sizes } = pictures.index.find(original) ?? {}
  const isOfPreviousPicture = sizes && !('key' in sizes && name.startsWith(`${sizes.key}-`))
  if (isOfPreviousPicture) return { send: async (_request, reply) => sendOriginal(reply) }
  return generatedImage(name, `image/${format}`, () => pictures.readSize(name), sendOriginal)
}

/** An image that is read from the store of pictures. Its name contains the hash of its content. */
export function generatedImage(
  name: string,
  type: string,
  read: () => Promise<Buffer | undefined>,
  sendInstead?: (reply: Reply) => Reply,
): DiskFile {
  const etag = `"${name}"`
  return {
    async send({ headers }: Request, reply: Reply): Promise<Reply> {
      const isKnown = isNotModified(headers, NO_DATE, etag) && headers['if-none-match'] !== undefined
      // A client that sends this ETag has the content, so the image is not read. For `*`, the image must exist (RFC
      // 9110, section 13.1.2).
      const hasContent = isKnown && headers['if-none-match']?.trim() !== '*'
      const content = hasContent ? undefined : await read().catch(throwRefusal)
      if (!hasContent && !content) {
        if (sendInstead) return sendInstead(reply)
        throw new Refusal(notFound)
      }
      reply.mergeHeaders({ ...IMMUTABLE, etag })
      return isKnown ? reply.code(304).send() : reply.type(type).send(content)
    },
  }
}

function throwRefusal(error: unknown): never {
  if (error instanceof TooManyCards) throw new Refusal(unavailable, { headers: { 'Retry-After': '5' } })
  throw error
}
