import { Name } from '../accounts/fields.ts'
import { declareRefusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'

const SAMPLE_NAME = 'My phone'

export const PasskeyName = Type.String({ ...Name, examples: [SAMPLE_NAME] })
export const StoredPasskeyName = Type.String({ examples: [SAMPLE_NAME] })

export const passkeyNotFound = declareRefusal({
  status: 404,
  code: 'passkey_not_found',
  message: 'Passkey not found',
  when: 'The account has no passkey with the id',
})
export const onlyWayIn = declareRefusal({
  status: 400,
  code: 'only_way_to_sign_in',
  message: 'Cannot remove the only way to sign in: add another one first',
  when: 'The account has no other password, passkey or provider',
})
