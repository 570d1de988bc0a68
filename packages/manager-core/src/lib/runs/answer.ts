import { exitCodeOf, type ManagerError, type ManagerErrorCode } from '../../errors.js'
import type { Json } from '../domain/json.js'

/** What the API answers, and what a run leaves: JSON. Source: docs/spec/wire-decisions.md, "every API answer". */
export interface Answer {
  readonly [key: string]: Json | undefined
  /** 0: done; else the exit code of the same command. */
  readonly status: number
  readonly message: string
  /** For a failure only. */
  readonly code?: ManagerErrorCode
}

/** A failure as the API answers it, without absent members: `status` is the exit code of the command line. */
export function failureAnswerOf(error: ManagerError): Answer {
  const { outcome, code, message, title, reason, ending, help, command, output, operation } = error
  return {
    status: exitCodeOf[outcome],
    message,
    code,
    ...(title !== undefined && { title }),
    ...(reason !== undefined && { cause: reason }),
    ...(ending !== undefined && { ending }),
    ...(help !== undefined && { help }),
    ...(command !== undefined && { command }),
    ...(output !== undefined && { output }),
    ...(operation !== undefined && { operation }),
  }
}
