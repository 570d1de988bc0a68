import { useEffect } from 'preact/hooks'
import type { WireAction } from '@steward/manager-core'
import { Button, toast } from '@steward/page-kit'
import type { FieldValues } from '../lib/action-input.js'
import { pathTo } from '../lib/addresses.js'
import { dataChanged } from '../lib/changes.js'
import { hasText, t } from '../lib/i18n.js'
import type { StreamState } from '../lib/event-stream.js'
import { hasEnded, type Operation, type OperationAnswer } from '../lib/operation.js'
import { useOnce } from '../lib/use-once.js'
import { useOperation } from '../lib/use-operation.js'
import { useRun, type AnswerOfAction } from '../lib/use-run.js'
import '../styles/operation.css'
import { titleOf } from './action-form.js'
import { FailureNotice } from './failure-notice.js'
import { OperationOutcome } from './operation-progress.js'
import { OperationSteps } from './operation-steps.js'
import { Outcome } from './outcome.js'

export interface RunStripProps {
  readonly action: WireAction
  readonly values: FieldValues
  /** Called once, when it has ended, done or not. */
  readonly onDone?: ((answer?: OperationAnswer | AnswerOfAction) => void) | undefined
  /** It is over, and there is nothing more to say. */
  readonly onClose: () => void
}

/** An action that needs no answer: it starts immediately, and the page stays usable beside it. */
export function RunStrip({ action, values, onDone, onClose }: RunStripProps) {
  const run = useRun(action)
  const { operation, stream } = run.followed
  const { answer, failure, result, isOver } = run
  useEffect(() => run.start(values), [])
  useOnce(isOver, () => {
    dataChanged()
    onDone?.(result)
    const warnings = operation?.warnings ?? answer?.warnings ?? []
    // What needs attention is said by the page, with the ways out.
    if (operation?.state === 'attention') return onClose()
    if (run.hasFailed || warnings.length > 0 || (answer !== undefined && answer.status !== 0)) return
    toast(operation?.message ?? answer?.message ?? titleOf(action.name) ?? action.name, {
      ...(run.operation !== undefined && {
        link: { href: pathTo('activity', run.operation), text: t('run.page') },
      }),
    })
    onClose()
  })
  if (!isOver) return <Progress title={doingOf(action.name)} operation={operation} stream={stream} />
  const dismiss = (
    <Button small onClick={onClose}>
      {t('toast.dismiss')}
    </Button>
  )
  const refused = failure ?? run.followed.failure
  if (refused)
    return (
      <FailureNotice failure={refused}>
        {refused.status === 0 && <p>{t('run.lost')}</p>}
        <p>{dismiss}</p>
      </FailureNotice>
    )
  return (
    <div class="strip-end">
      {operation && <OperationOutcome operation={operation} />}
      {answer && <Outcome message={answer.message} warnings={answer.warnings} isNo={answer.status !== 0} />}
      <p>{dismiss}</p>
    </div>
  )
}

/** An operation that another user started, or this page before it was loaded again. */
export function OtherStrip({ id }: { readonly id: string }) {
  const { operation, stream } = useOperation(id)
  const isOver = operation !== undefined && hasEnded(operation)
  useOnce(isOver, dataChanged)
  if (!operation || isOver) return null
  return <Progress title={operation.title} isEnglish operation={operation} stream={stream} />
}

interface ProgressProps {
  /** What is being done: `Restarting`. */
  readonly title: string
  /** The manager says it. */
  readonly isEnglish?: boolean
  /** Undefined: it is not known yet. */
  readonly operation: Operation | undefined
  /** State of the connection that reports its progress. */
  readonly stream: StreamState
}

/** `Restarting · 3 of 6 · Start the instance`, followed by all steps. */
function Progress({ title, isEnglish = false, operation, stream }: ProgressProps) {
  const steps = operation?.steps ?? []
  const at = steps.findIndex(({ state }) => state === 'running' || state === 'undoing')
  const done = steps.filter(({ state }) => state === 'done').length
  const isQueued = operation?.state === 'queued'
  const step = steps[at]
  return (
    <section class="strip panel" aria-label={title}>
      <span class="spinner" aria-hidden="true" />
      <p role="status">
        <strong lang={isEnglish ? 'en' : undefined}>{title}</strong>
        {steps.length > 0 && ` · ${t('run.step', { at: Math.max(at, done - 1) + 1, count: steps.length })}`}
        {step && (
          <>
            {' · '}
            {step.state === 'undoing' && `${t('step.undoing')}: `}
            <span lang="en">{step.title}</span>
          </>
        )}
        {isQueued && <span lang="en"> · {operation.message || t('state.queued')}</span>}
      </p>
      {(stream === 'waiting' || stream === 'offline') && (
        <p class="connection" role="status">
          {t(stream === 'offline' ? 'run.offline' : 'run.waiting')}
        </p>
      )}
      {operation && (
        <details>
          <summary>{t('operations.steps')}</summary>
          <OperationSteps operation={operation} />
          <a href={pathTo('activity', operation.id)}>{t('run.page')}</a>
        </details>
      )}
    </section>
  )
}

function doingOf(action: string): string {
  const key = `doing.${action}`
  return hasText(key) ? t(key) : (titleOf(action) ?? action)
}
