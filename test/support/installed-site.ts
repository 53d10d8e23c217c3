import { delimiter } from 'node:path'
import { startChild } from './child.ts'
import type { CleanedUp } from './clean-up.ts'
import { freePort } from './free-port.ts'

// Without the Node of this folder, so that the packages start with the Node of the machine, as for a user.
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)

/**
 * The environment of a user whose registry is this one, without the variables of the npm that runs the tests. The
 * certificates that the machine trusts stay trusted: archives of other packages come from the registry of the machine.
 */
export function userEnv(registry: string): Record<string, string | undefined> {
  const isOfUser = (name: string) => name === 'NODE_EXTRA_CA_CERTS' || !/^(npm_|NODE_|PORTICO_|YARN_)/i.test(name)
  const own = Object.entries(process.env).filter(([name]) => isOfUser(name))
  return { ...Object.fromEntries(own), PATH, npm_config_registry: registry }
}

/** Runs the start script of a site with a package manager, and returns its address when it is ready. */
export async function startSite(test: CleanedUp, [program = '', ...args]: string[], cwd: string): Promise<string> {
  const port = String(await freePort())
  const child = startChild(test, program, [...args, 'start'], {
    cwd,
    env: { ...userEnv(''), PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout?.setEncoding('utf8')
  for await (const text of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += text
    if (!output.includes('Portico is ready at')) continue
    child.stdout?.resume()
    return `http://127.0.0.1:${port}`
  }
  throw new Error(`the site did not start: ${output}`)
}

/** Signs up, reads the code in the development mailbox and verifies the address. Returns the last status. */
export async function verifiedAccount(url: string): Promise<number> {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  const email = 'ada@example.com'
  const password = 'Analytical-1'
  await post('/api/create-account', { firstName: 'Ada', lastName: 'King', email, password, confirmPassword: password })
  let code: string | undefined
  while (!code) {
    const mailbox = await fetch(`${url}/dev/mailbox`, { headers: { accept: 'application/json' } })
    code = /\b\d{6}\b/.exec(await mailbox.text())?.[0]
  }
  return post('/api/email-verification', { email, verificationCode: code })
}
