export const FORMATS = ['ndjson', 'csv', 'better-auth', 'supabase', 'pocketbase', 'firebase', 'auth0'] as const
export type Format = (typeof FORMATS)[number]
