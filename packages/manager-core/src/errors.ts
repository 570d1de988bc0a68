/**
 * How a failure ends an action; each outcome has one exit code of the command line. Source:
 * docs/spec/wire-decisions.md, "CLI output".
 */
export type Outcome = 'failed' | 'usage' | 'not-found' | 'refused' | 'busy' | 'rolled-back' | 'attention'

/**
 * Each outcome's exit code of the command line, and the `status` of answers. Source: docs/spec/wire-decisions.md, "CLI
 * output".
 */
export const exitCodeOf: Readonly<Record<Outcome, number>> = {
  failed: 1,
  usage: 2,
  'not-found': 3,
  refused: 4,
  busy: 5,
  'rolled-back': 6,
  attention: 7,
}

/** Codes of the manager's errors. Codes are API, messages are not. */
export const outcomeOf = {
  ERR_FAILED: 'failed',
  ERR_HOOK: 'failed',
  ERR_HEALTH: 'failed',
  ERR_DATABASE: 'failed',
  ERR_TEMPLATE: 'failed',
  ERR_BACKUP: 'failed',
  ERR_TARGET: 'failed',
  ERR_DISK: 'failed',
  ERR_USAGE: 'usage',
  ERR_SETTINGS: 'usage',
  ERR_NAME: 'usage',
  ERR_NOT_FOUND: 'not-found',
  ERR_HOME: 'not-found',
  ERR_NAME_TAKEN: 'refused',
  ERR_STATE: 'refused',
  ERR_PROTECTED: 'refused',
  ERR_LIMIT: 'refused',
  ERR_CONFIRMATION: 'refused',
  ERR_ACCESS: 'refused',
  ERR_BUSY: 'busy',
  ERR_ROLLED_BACK: 'rolled-back',
  ERR_ATTENTION: 'attention',
} as const satisfies Record<string, Outcome>

export type ManagerErrorCode = keyof typeof outcomeOf

export interface ManagerErrorOptions {
  readonly cause?: unknown
  /** What to do, in one sentence, when the message does not say it. */
  readonly help?: string
  /** A command that shows more or fixes it, without the program's name: `logs demo`. */
  readonly command?: string
  /** Text that a program printed, its last lines. */
  readonly output?: string
  /** What did not work, without its reason: `demo did not start`. With it, `message` says the same at length. */
  readonly title?: string
  /** The line that says why, such as one that a program printed. */
  readonly reason?: string
  /** The result, in sentences: `All changes were rolled back.` */
  readonly ending?: string
  /** Id of the operation that it ended. */
  readonly operation?: string
}

/** The same symbol in every copy of this package. */
const brand = Symbol.for('@steward/manager-core/ManagerError')

/** Every expected failure of the manager: a stable `code`, and an `outcome` that surfaces turn into theirs. */
export class ManagerError extends Error {
  readonly code: ManagerErrorCode
  readonly outcome: Outcome
  readonly help: string | undefined
  readonly command: string | undefined
  readonly output: string | undefined
  readonly title: string | undefined
  /** The `cause` of answers; that of an error is another error. */
  readonly reason: string | undefined
  readonly ending: string | undefined
  readonly operation: string | undefined

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  /** Whether it is one, of this or of another installed copy of this package; `instanceof` knows only those of its own copy. */
  static is(value: unknown): value is ManagerError {
    return typeof value === 'object' && value !== null && brand in value
  }

  constructor(code: ManagerErrorCode, message: string, options: ManagerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ManagerError'
    this.code = code
    this.outcome = outcomeOf[code]
    this.help = options.help
    this.command = options.command
    this.output = options.output
    this.title = options.title
    this.reason = options.reason
    this.ending = options.ending
    this.operation = options.operation
  }
}
