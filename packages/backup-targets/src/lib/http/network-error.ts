import { TargetError, type TargetErrorCode } from '../target-error.js'

const unreachable = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
])

const untrusted =
  /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET_ISSUER))/

/** What Node's error of a connection means, or the cause of an error; undefined for other errors. */
export function networkErrorCode(error: unknown): TargetErrorCode | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code !== 'string') continue
    if (unreachable.has(code) || code.startsWith('UND_ERR_')) return 'ERR_TARGET_UNREACHABLE'
    if (untrusted.test(code)) return 'ERR_TARGET_IDENTITY'
  }
  return undefined
}

/** What an error of a connection to this address means, for people. */
export function networkError(error: unknown, { host }: URL): TargetError {
  if (TargetError.is(error)) return error
  const { code, message } = error as NodeJS.ErrnoException
  const reason = message || code
  if (networkErrorCode(error) === 'ERR_TARGET_IDENTITY') {
    return new TargetError('ERR_TARGET_IDENTITY', `${host} cannot prove that it is ${host}: ${reason} (${code}).`, {
      cause: error,
      help: 'If its certificate is signed by your own authority, name its file in NODE_EXTRA_CA_CERTS.',
    })
  }
  return new TargetError('ERR_TARGET_UNREACHABLE', `The connection to ${host} failed: ${reason}.`, { cause: error })
}
