import type { SessionMethod } from '../database/enumerations.ts'
import { oneOf, Type } from '../http/schema.ts'

/**
 * How a person has proved their identity, in values of the claim `amr`: password, authenticator app or recovery code,
 * passkey that is bound to its device (`hwk`) or synchronised (`swk`), all from RFC 8176, section 2; sign-in provider
 * and mailed code, which have no registered value.
 */
const PROOF_METHODS = ['pwd', 'otp', 'hwk', 'swk', 'fed', 'mail'] as const
export type ProofMethod = (typeof PROOF_METHODS)[number]

export const ProofMethods = Type.Array(oneOf(PROOF_METHODS, { title: 'ProofMethod', examples: ['pwd'] }), {
  description:
    'As `amr` of the access token: pwd (password), otp (authenticator app or recovery code), hwk and swk (passkey of ' +
    'one device, synchronised passkey), fed (sign-in provider), mail (mailed code)',
})

export function storedMethods(methods: ProofMethod[]): string {
  return [...new Set(methods)].join(' ')
}

export function readMethods(stored: string): ProofMethod[] {
  return stored.split(' ').filter(Boolean) as ProofMethod[]
}

interface ProvenSession {
  auth_method: SessionMethod
  created_at: number
  authenticated_at: number | null
  auth_methods: string | null
}

/** The columns of a session that `proofOf` reads. */
export const PROOF_COLUMNS = ['auth_method', 'created_at', 'authenticated_at', 'auth_methods'] as const

/** When and how the account holder has proved their identity. */
export interface Proof {
  authenticatedAt: number
  methods: ProofMethod[]
}

/** The proof of a session. A session of a version without this record was proven when it began. */
export function proofOf({ auth_method, created_at, authenticated_at, auth_methods }: ProvenSession): Proof {
  return {
    authenticatedAt: authenticated_at ?? created_at,
    methods: auth_methods === null ? [auth_method === 'email' ? 'pwd' : 'fed'] : readMethods(auth_methods),
  }
}
