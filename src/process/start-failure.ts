import { ConfigError } from '../config/config-error.ts'

/** A message about a failure for the operator. */
export function messageFor(
  error: NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string },
): string {
  if (error instanceof ConfigError) return error.message
  const place = [error.address ?? error.hostname, error.port].filter(Boolean).join(':')
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${error.port} is taken. Stop what is using it, or set PORT to another one.`
    case 'EACCES':
      return `Not allowed: ${error.message}`
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
      return `The database${place && ` at ${place}`} does not respond (${error.code}). Is DATABASE_URL right, and the server up?`
    case '28P01':
    case '28000':
    case '3D000':
      return `The database refuses DATABASE_URL: ${error.message}`
    case 'ERR_SQLITE_ERROR':
      return `The SQLite file cannot be opened: ${error.message}. It is in DATA_DIR, unless DATABASE_URL names another.`
    case 'EEXIST':
    case 'ENOTDIR':
    case 'EISDIR':
      return `A file is where a folder is needed, or the reverse: ${error.message}. Is DATA_DIR right?`
    case 'ELOOP':
    case 'EIO':
      return `The content folder cannot be read: ${error.message}`
    default:
      return error.stack ?? String(error)
  }
}
