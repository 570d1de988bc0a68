const codes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED', // no server listens on the port
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL', // no local port is free
  'ENOTFOUND', // the host's name is unknown
  'EAI_AGAIN', // the name service does not answer
  'ENOENT', // no such Unix socket
  'EACCES', // the Unix socket may not be opened
  'EMFILE', // too many open files
])

/** Whether `code` is Node's for a connection that cannot be made or was lost. */
export function isNetworkCode(code: unknown): boolean {
  return codes.has(code)
}
