import type { Step } from '../operation.js'

/** Which instance; `folder` is its home when the step runs. */
export interface RuntimeStepOptions {
  readonly instance: { readonly id: string; readonly name: string }
  readonly folder: string
}

/** Stops it when it runs; undo starts it again when it ran (its intent says so). Sets `observed`. */
export function stopStep(options: RuntimeStepOptions & { readonly force?: boolean }): Step {
  throw new Error(`Not there yet: ${options.folder}`)
}

/**
 * Starts it and waits until it is healthy, and stays so for `windowMs`; undo stops it. `when: 'was-running'` does so only
 * when the operation's `stop` step (id `stopStepId`) found it running.
 *
 * @throws ManagerError ERR_HEALTH with the last lines of its log.
 */
export function startStep(
  options: RuntimeStepOptions & { readonly stopStepId?: string; readonly windowMs?: number },
): Step {
  throw new Error(`Not there yet: ${options.folder}`)
}
