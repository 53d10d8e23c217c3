import { randomUUID } from 'node:crypto'
import { jsonParser } from '../http/body.ts'
import { multipartParser } from '../http/multipart.ts'
import { operation } from '../http/operation.ts'
import { counter } from '../http/rate-limit.ts'
import { bodyTooLarge } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import type { AccountParts } from './parts.ts'
import { deletePicturesExcept, pictureUrl } from './pictures.ts'
import { squarePicture } from './square-picture.ts'

const PICTURE_TYPES = 'image/png, image/jpeg, image/webp, image/avif, image/gif'

export function uploadPicture({ config, database, limits }: AccountParts) {
  return operation({
    id: 'uploadPicture',
    summary: 'Upload a picture to be the avatar',
    message: 'Picture uploaded successfully',
    description:
      'PNG, JPEG, WebP, AVIF or GIF, up to 5 MB. It is cut square and kept as WebP; give its address to ' +
      'upload-avatar within a day. An account keeps its avatar and the latest upload.',
    status: 201,
    // A JSON body is parsed too, so that its error names the missing file and not the media type.
    bodyParsers: [multipartParser, jsonParser],
    body: Type.Object({ file: Type.Unsafe<Uint8Array>({ 'x-file': PICTURE_TYPES }) }),
    data: Type.Object({
      url: Type.String({
        format: 'uri',
        examples: ['https://example.com/uploads/0d2f8f63-51a7-4c1c-9d5e-7b0f3c1a2e44.webp'],
      }),
    }),
    refusals: [bodyTooLarge],
    links: {
      setAvatar: {
        operationId: 'setAvatar',
        description: 'Makes the picture the avatar: takes data.url as avatar',
      },
    },
    limits: ['upload', 'megapixels'],
    // An upload that is never completed counts too: the memory for it is limited.
    admit: (request, { sessionId }) => limits.take(request, counter('upload', sessionId)),
    async handle({ body: { file }, caller, request }) {
      const { userId } = caller
      const webp = await squarePicture(file, (cost) => limits.take(request, { ...counter('megapixels', userId), cost }))
      const id = randomUUID()
      await database.transaction(async (tx) => {
        const { avatar } = await lockCaller(tx, database.now, caller)
        await deletePicturesExcept(tx, userId, avatar)
        await tx.insertInto('pictures').values({ id, user_id: userId, webp, unused_since: database.now }).execute()
      })
      return { data: { url: pictureUrl(config.uploadUrl, id) } }
    },
  })
}
