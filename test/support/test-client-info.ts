import type { ClientInfo } from '../../src/sessions/client-info.ts'

/** Where a session or an event that a test writes by itself comes from. */
export const TEST_CLIENT_INFO: ClientInfo = {
  browser: 'Test 1',
  os: 'Test',
  device: 'Desktop',
  ipAddress: 'unknown',
  clientIp: '192.0.2.1',
  family: { browser: 'Test', os: 'Test' },
  program: 'an unknown program',
}
