import type { Operation, OperationStep } from '../lib/operation.js'
import { t } from '../lib/i18n.js'
import '../styles/operation.css'

/** The steps of an operation, each with its state as colour, sign and word. */
export function OperationSteps({ steps }: Pick<Operation, 'steps'>) {
  if (steps.length === 0) return null
  return (
    <ol class="steps">
      {steps.map((step) => (
        <li key={step.id} class="step" data-state={step.state} data-failed={step.failed}>
          <span class="step-sign" aria-hidden="true" />
          <span class="step-title" lang="en">
            {step.title}
          </span>
          <span class="step-state">
            {step.failed && step.state !== 'failed' && <strong>{t('step.failed')} · </strong>}
            {t(`step.${step.state}`)}
          </span>
          <StepProgress {...step} />
        </li>
      ))}
    </ol>
  )
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
