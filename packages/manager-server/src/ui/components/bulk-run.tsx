import { useEffect, useState } from 'preact/hooks'
import type { WireAction } from '@steward/manager-core'
import { subjectOf, type FieldValues } from '../lib/action-input.js'
import type { ApiFailure } from '../lib/api.js'
import { pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'
import { endOf } from '../lib/end-of.js'
import type { OperationAnswer } from '../lib/operation.js'
import { begin, goesOn } from '../lib/use-run.js'

export interface BulkRunProps {
  readonly action: WireAction
  readonly instances: readonly string[]
  readonly values: FieldValues
  /** All that were started have ended; with the answers of those that were done. */
  readonly onEnd: (answers: readonly OperationAnswer[]) => void
}

type One = {
  readonly state: 'pending' | 'running' | 'done' | 'failed' | 'skipped'
  readonly message?: string
  readonly operation?: string
}

/** How many run at the same time. Not specified; chosen as `startall` does. */
const parallel = 2

/** The same action on several instances, each with its result. Once closed, the rest is not started; what was started continues. */
export function BulkRun({ action, instances, values, onEnd }: BulkRunProps) {
  const [states, setStates] = useState<Readonly<Record<string, One>>>({})
  useEffect(() => {
    const left = new AbortController()
    const queue = [...instances]
    const answers: OperationAnswer[] = []
    const show = (name: string, one: One) => setStates((before) => ({ ...before, [name]: one }))
    const work = async () => {
      for (;;) {
        const name = queue.shift()
        if (name === undefined) return
        if (left.signal.aborted) show(name, { state: 'skipped' })
        else {
          const answer = await perform(action, name, values, { signal: left.signal, onState: (one) => show(name, one) })
          if (answer) answers.push(answer)
        }
      }
    }
    void Promise.all(Array.from({ length: parallel }, work)).then(() => !left.signal.aborted && onEnd(answers))
    return () => left.abort()
  }, [])

  const all = Object.values(states)
  const failed = all.filter(({ state }) => state === 'failed').length
  const done = failed + all.filter(({ state }) => state === 'done').length
  return (
    <div class="bulk">
      <p role="status">
        {t(failed > 0 ? 'bulk.progressFailed' : 'bulk.progress', { done, failed, count: instances.length })}
      </p>
      <progress
        max={instances.length}
        value={done}
        aria-label={t('bulk.progress', { done, count: instances.length })}
      />
      <ul class="steps" tabIndex={0} aria-label={t('nav.instances')}>
        {instances.map((name) => {
          const { state, message, operation } = states[name] ?? { state: 'pending' }
          return (
            <li key={name} class="step" data-state={state}>
              <span class="step-sign" aria-hidden="true" />
              <span class="step-title">
                {operation === undefined ? name : <a href={pathTo('activity', operation)}>{name}</a>}
              </span>
              <span class="step-state">{t(`step.${state}`)}</span>
              {message !== undefined && (
                <span class="step-progress" lang="en">
                  {message}
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

interface PerformOptions {
  readonly signal: AbortSignal
  readonly onState: (one: One) => void
}

/** Never rejects. @returns undefined: it was not done */
async function perform(
  action: WireAction,
  name: string,
  values: FieldValues,
  { signal, onState }: PerformOptions,
): Promise<OperationAnswer | undefined> {
  let operation: string | undefined
  try {
    onState({ state: 'running' })
    const answer = await begin(action, { ...values, [subjectOf(action)?.name ?? 'name']: name })
    operation = goesOn(action) ? answer.operation : undefined
    if (operation === undefined) {
      onState({ state: 'done', message: answer.message })
      return answer
    }
    onState({ state: 'running', operation })
    const { state, message, result } = await endOf(operation, signal)
    onState({ state: state === 'succeeded' ? 'done' : 'failed', message, operation })
    return state === 'succeeded' ? result : undefined
  } catch (failure) {
    if (!signal.aborted)
      onState({ state: 'failed', message: (failure as ApiFailure).message, ...(operation && { operation }) })
    return undefined
  }
}
