import { formatDuration } from '@steward/page-kit'
import { useEffect, useState } from 'preact/hooks'
import { hasEnded, settled, type Operation, type OperationStep } from '../lib/operation.js'
import { t } from '../lib/i18n.js'
import { useSession } from '../lib/session.js'
import '../styles/operation.css'

/** The steps of an operation, each with its state as colour, sign and word, and its time. */
export function OperationSteps({ operation }: { readonly operation: Pick<Operation, 'steps' | 'state'> }) {
  const hooks = useSession()?.hooks
  const steps = hasEnded(operation) ? operation.steps.map(settled) : operation.steps
  const shown = steps.filter((step) => !isNothing(step, hooks))
  if (shown.length === 0) return null
  return (
    <ol class="steps">
      {shown.map((step) => (
        <li key={step.id} class="step" data-state={step.state} data-failed={step.failed}>
          <span class="step-sign" aria-hidden="true" />
          <span class="step-title" lang="en">
            {step.title}
          </span>
          <span class="step-state">
            {step.failed && step.state !== 'failed' && <strong>{t('step.failed')} · </strong>}
            {step.took !== undefined && `${formatDuration(step.took)} · `}
            {step.state === 'running' && step.at !== undefined && <Since at={step.at} />}
            {t(`step.${step.state}`)}
          </span>
          <StepProgress {...step} />
        </li>
      ))}
    </ol>
  )
}

/** The step of a hook that there is not. */
function isNothing({ id, failed }: OperationStep, hooks: readonly string[] = []): boolean {
  return /^(?:pre|post)-(?:add|reset|upgrade|save|start|stop|del)$/.test(id) && !failed && !hooks.includes(id)
}

/** Seconds since then. A moment is not worth a word. */
function Since({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const ms = now - Date.parse(at)
  return ms < 1000 ? null : <span aria-hidden="true">{`${formatDuration(Math.floor(ms / 1000) * 1000)} · `}</span>
}

function StepProgress({ state, progress, title }: OperationStep) {
  if (!progress || (state !== 'running' && state !== 'undoing')) return null
  const { text, bytes, of } = progress
  return (
    <div class="step-progress">
      <span lang="en">{text}</span>
      {bytes !== undefined && of !== undefined && of > 0 && <progress max={of} value={bytes} aria-label={title} />}
    </div>
  )
}
