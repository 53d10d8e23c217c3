import assert from 'node:assert/strict'
import { readConfig } from '../../src/config/config.ts'
import { parseDotEnv } from '../../src/config/dot-env.ts'
import { ConfigError } from '../../src/config/settings-reader.ts'

export const SECRET = 'hunter2-is-my-secret'
export const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://site.example',
  SMTP_URL: 'smtp://mail.example.com',
}

/** What is said to be wrong, a line a fault. */
export function faultsOf(env: Record<string, string>, dotEnv = ''): string[] {
  try {
    readConfig(env, parseDotEnv(dotEnv))
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    assert.ok(!error.message.includes(SECRET), error.message)
    return error.message.split('\n').slice(1)
  }
  return []
}
