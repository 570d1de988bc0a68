/** Codes of what can go wrong at a target, with whether the same call may succeed later. Codes are API, messages are not. */
const isTransientCode = {
  /** Options are missing, unknown or wrong, or a package or program that it needs. */
  ERR_TARGET_SETTINGS: false,
  /** Name not found, connection refused, cut or silent. */
  ERR_TARGET_UNREACHABLE: true,
  /** The server asks to come more slowly. */
  ERR_TARGET_THROTTLED: true,
  /** Wrong user, password or key, or not allowed. */
  ERR_TARGET_REFUSED: false,
  /** It is not the server that it should be: host key, certificate. */
  ERR_TARGET_IDENTITY: false,
  ERR_TARGET_NOT_FOUND: false,
  ERR_TARGET_EXISTS: false,
  /** Disk, quota or size limit. */
  ERR_TARGET_FULL: false,
  /** The store keeps it until a date. */
  ERR_TARGET_LOCKED: false,
  /** It has other bytes than were sent or asked for. */
  ERR_TARGET_DAMAGED: true,
  /** Anything else. */
  ERR_TARGET_FAILED: false,
} as const

export type TargetErrorCode = keyof typeof isTransientCode

export interface TargetErrorOptions {
  readonly cause?: unknown
  /** What to do, in one sentence, when the message does not say it. */
  readonly help?: string
  /** Wait at least this long before the next attempt, in ms. */
  readonly retryAfterMs?: number
  /** Default: by its code. */
  readonly transient?: boolean
}

/** The same symbol in every copy of this package. */
const brand = Symbol.for('@steward/backup-targets/TargetError')

/** Every expected failure of a target. No secrets are in it. */
export class TargetError extends Error {
  readonly code: TargetErrorCode
  /** The same call may succeed later. */
  readonly transient: boolean
  readonly help: string | undefined
  readonly retryAfterMs: number | undefined

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  /** Whether it is one, of this or of another installed copy of this package; `instanceof` knows only those of its own copy. */
  static is(value: unknown): value is TargetError {
    return typeof value === 'object' && value !== null && brand in value
  }

  constructor(code: TargetErrorCode, message: string, options: TargetErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'TargetError'
    this.code = code
    this.transient = options.transient ?? isTransientCode[code]
    this.help = options.help
    this.retryAfterMs = options.retryAfterMs
  }
}
