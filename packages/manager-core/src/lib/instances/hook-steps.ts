import { ManagerError } from '../../errors.js'
import type { Step, StepRun } from '../context.js'
import type { Json } from '../domain/json.js'
import { hookEnvironment } from '../hooks/hook-environment.js'
import type { HookName } from '../hooks/hooks.js'

export interface HookStepOptions {
  readonly hook: HookName
  /** Arguments of the calling action. */
  readonly args: readonly string[]
  /** Home of the instance, whose settings become the hook's environment; undefined before it has one. */
  readonly folder: string | undefined
  readonly instance: { readonly id: string; readonly name: string }
  /** JSON of the operation, for its standard input. */
  readonly input: Json
}

/**
 * Runs a hook script when it is there. A failing pre-hook stops the operation with its output; a failing post-hook is a
 * warning. Source: docs/spec/wire-decisions.md, "hooks". What a hook did is not undone, and after a kill during a hook
 * that comes after the point of no return it runs once more: hooks must allow both.
 */
export function hookStep({ hook, args, folder, instance, input }: HookStepOptions): Step {
  const isPost = hook.startsWith('post-')
  return {
    id: hook,
    title: `Run the hook ${hook}`,
    isHook: true,
    async do(run) {
      if (run.caller.withoutHooks) return
      try {
        const { problem, output } = await run.context.hooks.run({
          hook,
          args,
          environment: await environmentOf(run),
          input,
          // Nothing depends on how a post-hook ends: a caller who cancels need not wait for it.
          signal: isPost ? (run.caller.signal ?? run.signal) : run.signal,
        })
        if (!isPost) run.signal.throwIfAborted()
        if (problem !== undefined) throw new ManagerError('ERR_HOOK', problem, { ...(output !== '' && { output }) })
      } catch (error) {
        if (!isPost) throw error
        run.warn(warningOf(error))
      }
    },
    check: () => 'not-done',
  }

  async function environmentOf({ context }: StepRun): Promise<Readonly<Record<string, string>>> {
    if (folder === undefined) return { USER: instance.name }
    return hookEnvironment(context, instance, folder)
  }
}

/** One sentence and the last lines. */
function warningOf(error: unknown): string {
  const { message, output = '' } = error as Partial<ManagerError> & Error
  const lines = output.trimEnd().split('\n').slice(-5).join('\n')
  return lines === '' ? message : `${message}\n${lines}`
}
