import { ManagerError } from '../../errors.js'
import type { Step } from '../context.js'
import { startStep, type RuntimeStepOptions } from './runtime-steps.js'

/** Starts an instance that is gone when this fails: a command that would show its log is of no use then. */
export function firstStartStep(options: RuntimeStepOptions): Step {
  const step = startStep(options)
  return {
    ...step,
    async do(run) {
      try {
        return await step.do(run)
      } catch (error) {
        if (!ManagerError.is(error) || error.command === undefined) throw error
        const { code, message, output, cause } = error
        throw new ManagerError(code, message, { cause, ...(output !== undefined && { output }) })
      }
    },
  }
}
