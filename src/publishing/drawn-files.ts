import type { Library } from '../content/library.ts'
import { SIZES_PATH } from '../content/show-pictures.ts'
import { notFound, Refusal, unavailable } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import { isNotModified } from '../http/representation.ts'
import type { Request } from '../http/request.ts'
import { TooManyCards } from '../pictures/picture-maker.ts'
import type { Pictures } from '../pictures/pictures.ts'
import { IMMUTABLE_CACHE, type SentFile } from './page-variants.ts'

const SIZE_PATH = new RegExp(`^${SIZES_PATH}(/[^?#]+)/([\\w-]{22}-\\d{1,5}\\.(avif|webp))$`)
// The address has the hash of the content, which has no date.
const NO_DATE = new Date(0)

/**
 * The response for a size of a picture, by its path. Undefined for another path, and for a picture that is not
 * published any more: its sizes stay in the store for a while. Instances with different data folders do not make the
 * sizes at the same time: a size that this one does not have leads to the original, and so does a size of a former
 * picture.
 */
export function sizeAt(path: string, pictures: Pictures, originals: Library['attachments']): SentFile | undefined {
  const [, address = '', name = '', format = ''] = SIZE_PATH.exec(path) ?? []
  const original = originals.get(address)
  if (!original) return undefined
  const sendOriginal = (reply: Reply) => reply.header('cache-control', 'no-store').redirect(address, 307)
  const { sizes } = pictures.index.find(original) ?? {}
  const isFormer = sizes && !('key' in sizes && name.startsWith(`${sizes.key}-`))
  if (isFormer) return { send: async (_request, reply) => sendOriginal(reply) }
  return drawnFile(name, `image/${format}`, () => pictures.readSize(name), sendOriginal)
}

/** A file that is sent from the store. Its name identifies its content. */
export function drawnFile(
  name: string,
  type: string,
  read: () => Promise<Buffer | undefined>,
  sendInstead?: (reply: Reply) => Reply,
): SentFile {
  const etag = `"${name}"`
  return {
    async send({ headers }: Request, reply: Reply): Promise<Reply> {
      const isKnown = isNotModified(headers, NO_DATE, etag) && headers['if-none-match'] !== undefined
      // A client that names the content has it. `*` does not name it.
      const isNamed = isKnown && headers['if-none-match']?.trim() !== '*'
      const content = isNamed ? undefined : await read().catch(throwRefusal)
      if (!isNamed && !content) {
        if (sendInstead) return sendInstead(reply)
        throw new Refusal(notFound)
      }
      reply.mergeHeaders({ ...IMMUTABLE_CACHE, etag })
      return isKnown ? reply.code(304).send() : reply.type(type).send(content)
    },
  }
}

function throwRefusal(error: unknown): never {
  if (error instanceof TooManyCards) throw new Refusal(unavailable, { headers: { 'Retry-After': '5' } })
  throw error
}
