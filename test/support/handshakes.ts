import type { Service } from './service.ts'

/** Lets time pass for the sign-ins that have left for a provider, and for nothing else. */
export async function letHandshakesAge({ portico }: Service, { minutes }: { minutes: number }): Promise<void> {
  await portico.database.query
    .updateTable('handshakes')
    .set((eb) => ({ expires_at: eb('expires_at', '-', minutes * 60_000) }))
    .execute()
}
