import { exitCodeOf, type ManagerError, type ManagerErrorCode } from '../../errors.js'
import type { Json } from '../domain/json.js'

/** What the API answers, and what a run leaves: JSON. Source: wire-decisions, "every API answer". */
export interface Answer {
  readonly [key: string]: Json | undefined
  /** 0: done; else the exit code of the same command. */
  readonly status: number
  readonly message: string
  /** For a failure only. */
  readonly code?: ManagerErrorCode
}

export function failureAnswerOf({ outcome, code, message, help, command, output, operation }: ManagerError): Answer {
  return {
    status: exitCodeOf[outcome],
    message,
    code,
    ...(help !== undefined && { help }),
    ...(command !== undefined && { command }),
    ...(output !== undefined && { output }),
    ...(operation !== undefined && { operation }),
  }
}
