import { register, removePassword } from './account-steps.ts'
import { newEmail } from './api.ts'
import { someone } from './crowd.ts'
import type { Service } from './service.ts'

export type Kind = 'unknown' | 'unverified' | 'verified' | 'password-less'

/** An address of each kind that nobody should be able to tell from the others. */
export async function addressesOfEachKind(service: Service): Promise<Record<Kind, string>> {
  const { email: unverified } = await register(service)
  const { email: verified } = await someone(service)
  const { email: passwordless } = await someone(service)
  await removePassword(service, passwordless)
  return { unknown: newEmail(), unverified, verified, 'password-less': passwordless }
}
