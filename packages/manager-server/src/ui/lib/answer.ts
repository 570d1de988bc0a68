import type { ActionResult, Answer as AnyAnswer } from '@steward/manager-core'
import type { ManagerError } from '@steward/manager-core/errors'

/** Every answer. Source: docs/spec/wire-decisions.md, "every API answer". */
export type Answer = Pick<AnyAnswer, 'status' | 'message'> & Pick<ActionResult, 'operation' | 'warnings'>

/** What a refused or failed action answers. */
export type FailureBody = Pick<ManagerError, 'message'> &
  Partial<Pick<ManagerError, 'title' | 'ending' | 'help' | 'command' | 'output' | 'operation'>> & {
    readonly code?: string
    /** The line that says why. */
    readonly cause?: string
  }
