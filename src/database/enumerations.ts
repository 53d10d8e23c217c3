// Values of columns that the API shares with the tables.

export const ROLES = ['member', 'owner'] as const
export type Role = (typeof ROLES)[number]

export const PROVIDER_NAMES = ['codehost', 'idp'] as const
export type ProviderName = (typeof PROVIDER_NAMES)[number]

export const AUTH_METHODS = ['email', ...PROVIDER_NAMES] as const
/** How an account began. */
export type AuthMethod = (typeof AUTH_METHODS)[number]

export const SESSION_METHODS = [...AUTH_METHODS, 'mailed-code', 'passkey'] as const
/** How a session began. */
export type SessionMethod = (typeof SESSION_METHODS)[number]
