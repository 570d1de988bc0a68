import { CommanderError } from 'commander'
import { exitCodeOf, ManagerError } from '@steward/manager-core/errors'
import { jsonText } from './output/result.js'
import { printable } from './output/text.js'
import { createTimes, timesIn } from './output/times.js'

/** How a command failed, for people and programs. */
export interface Failure {
  readonly exitCode: number
  readonly code: string
  readonly message: string
  /** See `ManagerErrorOptions`. */
  readonly title?: string | undefined
  readonly reason?: string | undefined
  readonly ending?: string | undefined
  readonly help?: string | undefined
  /** Without the program's name. */
  readonly command?: string | undefined
  readonly output?: string | undefined
  readonly operation?: string | undefined
  readonly error: unknown
}

/** @param cancelledBy exit code of the signal that ended it, when one did */
export function failureOf(error: unknown, cancelledBy?: number): Failure {
  if (error instanceof CommanderError) return usageFailure(error)
  if (ManagerError.is(error)) {
    const { code, message, title, reason, ending, help, command, output, operation, outcome } = error
    const exitCode = outcome === 'attention' ? exitCodeOf.attention : (cancelledBy ?? exitCodeOf[outcome])
    return { exitCode, code, message, title, reason, ending, help, command, output, operation, error }
  }
  if (cancelledBy !== undefined) return { exitCode: cancelledBy, code: 'ERR_CANCELLED', message: 'Cancelled.', error }
  const message = error instanceof Error ? error.message : String(error)
  return { exitCode: exitCodeOf.failed, code: 'ERR_FAILED', message, help: 'For details, add --verbose.', error }
}

/** The command, without the program's name, that shows the help of the one that was typed wrong. */
export const helpOf = new WeakMap<CommanderError, string>()

/** What commander says, as a sentence: `error: unknown option '--x'\n(Did you mean --y?)`. */
function usageFailure(error: CommanderError): Failure {
  const [first = '', hint] = error.message.replace(/^error: /, '').split('\n')
  const message = `${first.slice(0, 1).toUpperCase()}${first.slice(1).replaceAll("'", '"').replace(/\.?$/, '.')}`
  const help = hint?.replace(/^\((.*)\)$/, '$1')
  return { exitCode: exitCodeOf.usage, code: 'ERR_USAGE', message, help, command: helpOf.get(error), error }
}

export interface FailureTextOptions {
  /** Where it came from, too. */
  readonly verbose?: boolean
  /** Times in UTC. */
  readonly utc?: boolean
}

export function failureText(
  { message, title, reason, ending, help, command, output, error }: Failure,
  { verbose = false, utc = false }: FailureTextOptions = {},
): string {
  const times = createTimes({ timeZone: utc ? 'UTC' : undefined })
  const isSaid = title !== undefined
  const lines = [
    `manager: ${timesIn(printable(isSaid ? `${title}.` : message), times)}`,
    ...(isSaid && reason ? [`  Cause: ${printable(reason)}`] : []),
    ...(isSaid && ending ? [`  ${timesIn(printable(ending), times)}`] : []),
    // What is said once is not said again.
    ...(output && !(isSaid && output.trim() === reason)
      ? printable(output)
          .trimEnd()
          .split('\n')
          .map((line) => `  | ${line}`)
      : []),
    ...(help ? [`  ${timesIn(printable(help), times)}`] : []),
    ...(command ? [`  Try: manager ${printable(command)}`] : []),
    ...(verbose ? [traceOf(error)] : []),
  ]
  return `${lines.join('\n')}\n`
}

export function failureJson(failure: Failure): string {
  const { exitCode, code, message, title, reason, ending, help, command, output, operation } = failure
  const said = { title, cause: reason, ending }
  return jsonText({ status: exitCode, message, code, ...said, help, command, output, operation, warnings: [] })
}

/** With all causes. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\nCaused by: ${traceOf(error.cause)}`
  return printable(error.stack ?? error.message) + cause
}
