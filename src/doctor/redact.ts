import type { Config } from '../config/config.ts'

/** Returns a function that removes the secrets of the settings from a text of another server, which may repeat one. */
export function createRedaction({ database, mail, codehost, idp, github }: Config): (text: string) => string {
  const urls = [database.engine === 'postgres' ? database.url : undefined, mail.smtpUrl]
  const secrets = [
    ...urls.map(passwordOf),
    ...urls.map((url) => decoded(passwordOf(url))),
    codehost?.clientSecret,
    idp?.clientSecret,
    github?.token,
  ].filter((secret) => secret !== undefined && secret !== '')
  return (text) => secrets.reduce<string>((redacted, secret) => redacted.replaceAll(String(secret), '…'), text)
}

function passwordOf(url: string | undefined): string {
  return URL.parse(url ?? '')?.password ?? ''
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
