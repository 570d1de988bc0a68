import { networkErrorCode } from '../http/network-error.js'
import { TargetError, type TargetErrorCode } from '../target-error.js'

/** What servers say in words, where their numbers have many meanings; the first that fits. */
const words: readonly (readonly [RegExp, TargetErrorCode])[] = [
  [/(?:ssl|tls)\b.*\brequired/i, 'ERR_TARGET_SETTINGS'],
  [/no space|quota|disk (?:is )?full|file (?:is )?too large|exceeded/i, 'ERR_TARGET_FULL'],
  [/permission|denied|not permitted|not allowed|read-only|forbidden/i, 'ERR_TARGET_REFUSED'],
  [/no such|not found|not exist|cannot find|can't find/i, 'ERR_TARGET_NOT_FOUND'],
  [/too many/i, 'ERR_TARGET_THROTTLED'],
]

/** Source: RFC 959, 4.2; RFC 4217 for those of TLS. */
const codes: Readonly<Record<number, TargetErrorCode>> = {
  421: 'ERR_TARGET_UNREACHABLE',
  425: 'ERR_TARGET_UNREACHABLE',
  426: 'ERR_TARGET_UNREACHABLE',
  430: 'ERR_TARGET_REFUSED',
  431: 'ERR_TARGET_SETTINGS',
  450: 'ERR_TARGET_UNREACHABLE',
  451: 'ERR_TARGET_UNREACHABLE',
  452: 'ERR_TARGET_FULL',
  522: 'ERR_TARGET_SETTINGS',
  530: 'ERR_TARGET_REFUSED',
  532: 'ERR_TARGET_REFUSED',
  533: 'ERR_TARGET_SETTINGS',
  534: 'ERR_TARGET_SETTINGS',
  552: 'ERR_TARGET_FULL',
}

/** The number that a server answered with instead of success; undefined: it did not answer. */
export function replyCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || error.name !== 'FTPError') return undefined
  return (error as Error & { code: number }).code
}

/** It says that there is no such file or folder, in the number that it uses for all that cannot be done. */
export function isMissing(error: unknown): boolean {
  return replyCode(error) === 550 && !/permission|denied|not permitted/i.test((error as Error).message)
}

/** What happened on a connection, as an error of a target. */
export function ftpError(error: unknown, attempt: string): TargetError {
  if (TargetError.is(error)) return error
  const { message } = error as Error
  const reply = replyCode(error)
  const said = words.find(([expression]) => expression.test(message))?.[1]
  const code =
    reply === undefined
      ? (networkErrorCode(error) ?? tlsErrorCode(error) ?? 'ERR_TARGET_UNREACHABLE')
      : reply === 530
        ? 'ERR_TARGET_REFUSED'
        : (said ?? codes[reply] ?? 'ERR_TARGET_FAILED')
  return new TargetError(code, `${attempt}: ${message}`, { cause: error })
}

/** The other side does not speak TLS, or not yet. */
function tlsErrorCode(error: unknown): TargetErrorCode | undefined {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^(?:EPROTO|ERR_SSL_)/.test(code) ? 'ERR_TARGET_SETTINGS' : undefined
}
