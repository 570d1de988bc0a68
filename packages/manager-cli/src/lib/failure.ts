import { CommanderError } from 'commander'
import { exitCodeOf, ManagerError } from '@steward/manager-core/errors'
import { jsonText } from './output/result.js'
import { printable } from './output/text.js'

/** How a command failed, for people and programs. */
export interface Failure {
  readonly exitCode: number
  readonly code: string
  readonly message: string
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
    const { code, message, help, command, output, operation, outcome } = error
    const exitCode = outcome === 'attention' ? exitCodeOf.attention : (cancelledBy ?? exitCodeOf[outcome])
    return { exitCode, code, message, help, command, output, operation, error }
  }
  if (cancelledBy !== undefined) return { exitCode: cancelledBy, code: 'ERR_CANCELLED', message: 'Cancelled.', error }
  const message = error instanceof Error ? error.message : String(error)
  return { exitCode: exitCodeOf.failed, code: 'ERR_FAILED', message, help: 'It shows more with --verbose.', error }
}

/** What commander says, as a sentence: `error: unknown option '--x'\n(Did you mean --y?)`. */
function usageFailure(error: CommanderError): Failure {
  const [first = '', hint] = error.message.replace(/^error: /, '').split('\n')
  const message = `${first.slice(0, 1).toUpperCase()}${first.slice(1).replaceAll("'", '"').replace(/\.?$/, '.')}`
  const help = hint?.replace(/^\((.*)\)$/, '$1')
  return { exitCode: exitCodeOf.usage, code: 'ERR_USAGE', message, help, error }
}

export function failureText({ message, help, command, output, error }: Failure, verbose: boolean): string {
  const lines = [
    `manager: ${printable(message)}`,
    ...(output
      ? printable(output)
          .trimEnd()
          .split('\n')
          .map((line) => `  | ${line}`)
      : []),
    ...(help ? [`  ${printable(help)}`] : []),
    ...(command ? [`  Try: manager ${printable(command)}`] : []),
    ...(verbose ? [traceOf(error)] : []),
  ]
  return `${lines.join('\n')}\n`
}

export function failureJson({ exitCode, code, message, help, command, output, operation }: Failure): string {
  return jsonText({ status: exitCode, message, code, help, command, output, operation, warnings: [] })
}

/** With all causes. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\nCaused by: ${traceOf(error.cause)}`
  return printable(error.stack ?? error.message) + cause
}
