import { readFileSync } from 'node:fs'
import { remoteFolder } from '../remote-files/path.js'
import { addressText, serverAddress } from '../remote-files/server-address.js'
import { TargetError } from '../target-error.js'
import type { TargetContext } from '../target-type.js'

export type FtpTls = (typeof kinds)[number]

const kinds = ['explicit', 'implicit', 'none'] as const

/** How to come to the server, checked. */
export interface FtpSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly tls: FtpTls
  /** Certificates that are trusted, in PEM; undefined: those that Node.js trusts. */
  readonly ca: string | undefined
  readonly folder: string
  readonly context: TargetContext
}

/** @throws TargetError ERR_TARGET_SETTINGS */
export function readSettings(options: Readonly<Record<string, string>>, context: TargetContext): FtpSettings {
  const { user = 'anonymous', password = '', path, ca } = options
  // oxlint-disable-next-line no-control-regex -- that is what is refused
  if (/[\0-\x1f\x7f]/.test(user + password))
    throw new TargetError('ERR_TARGET_SETTINGS', 'The user or the password of FTP has control characters.')
  const tls = tlsKind(options.tls)
  const { host, port = tls === 'implicit' ? 990 : 21 } = serverAddress(options)
  return {
    host,
    port,
    user,
    password,
    tls,
    ca: ca === undefined ? ca : readCa(ca),
    folder: remoteFolder(path),
    context,
  }
}

/** For messages: `backup@host:21`. */
export function serverName({ user, ...address }: Pick<FtpSettings, 'user' | 'host' | 'port'>): string {
  return `${user}@${addressText(address)}`
}

function tlsKind(value = 'explicit'): FtpTls {
  const kind = kinds.find((each) => each === value)
  if (kind) return kind
  throw new TargetError('ERR_TARGET_SETTINGS', `"tls" is ${JSON.stringify(value)}: it must be ${kinds.join(', ')}.`)
}

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const message = `The file ${JSON.stringify(path)} of "ca" cannot be read: ${(error as Error).message}`
    throw new TargetError('ERR_TARGET_SETTINGS', message, { cause: error })
  }
}
