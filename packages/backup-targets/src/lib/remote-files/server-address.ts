import { TargetError } from '../target-error.js'

export interface ServerAddress {
  /** A name or an address; one of IPv6 without brackets. */
  readonly host: string
  readonly port: number | undefined
}

/**
 * Reads `host`, `host:port`, `[address]:port` and a port that is given beside.
 *
 * @throws TargetError ERR_TARGET_SETTINGS
 */
export function serverAddress({ server = '', port = '' }: { server?: string; port?: string }): ServerAddress {
  const found =
    /^\[(?<host>[0-9A-Fa-f:.]+(?:%\w+)?)\](?::(?<port>\d+))?$/.exec(server) ??
    /^(?<host>[\w.-]+)(?::(?<port>\d+))?$/.exec(server) ??
    /^(?<host>[0-9A-Fa-f:]+:[0-9A-Fa-f:.]+)$/.exec(server)
  const { host, port: ownPort } = found?.groups ?? {}
  // A program would take it for an option.
  if (!host || host.startsWith('-'))
    throw new TargetError('ERR_TARGET_SETTINGS', `${JSON.stringify(withoutLogin(server))} is no address of a server.`, {
      help: 'It is "host", "host:port" or "[IPv6 address]:port".',
    })
  const ports = [ownPort, port]
    .filter((each) => each !== undefined && each !== '')
    .map((each) => portOf(each as string))
  if (new Set(ports).size > 1)
    throw new TargetError('ERR_TARGET_SETTINGS', `The server ${server} and the port ${port} are two different ports.`)
  return { host, port: ports[0] }
}

/** Where a target goes, of options as they are given, right or wrong: `scp://backup@host:22/srv`. */
export function describeServer(scheme: string, options: Readonly<Record<string, string>>): string {
  const { server = '', port, user, path = '' } = options
  const folder = path.startsWith('/') ? path : `/~/${path.replace(/^~\/?/, '')}`
  return `${scheme}://${user ? `${user}@` : ''}${withoutLogin(server)}${port ? `:${port}` : ''}${folder}`
}

/** Who writes an address of the web may have written a password. */
function withoutLogin(server: string): string {
  return server.replace(/^.*@/s, '')
}

/** As part of an address: `host`, `host:22`, `[::1]:22`. */
export function addressText({ host, port }: ServerAddress): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === undefined ? name : `${name}:${port}`
}

function portOf(value: string): number {
  const port = Number(value)
  if (/^\d{1,5}$/.test(value) && port > 0 && port < 65_536) return port
  throw new TargetError('ERR_TARGET_SETTINGS', `${JSON.stringify(value)} is no port: it is a number from 1 to 65535.`)
}
