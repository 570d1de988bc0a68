import { useState } from 'preact/hooks'
import type { WireAction } from '@steward/manager-core'
import { parametersOf, type FieldValues } from '../lib/action-input.js'
import { api, type ApiFailure } from '../lib/api.js'
import { t } from '../lib/i18n.js'
import type { Plan } from '../lib/operation.js'
import { FailureNotice } from './failure-notice.js'

export interface Preview {
  readonly isBusy: boolean
  readonly planned: { readonly message: string; readonly plan?: Plan } | undefined
  /** It would be refused. */
  readonly failure: ApiFailure | undefined
  readonly look: (values: FieldValues) => void
  /** Other inputs would do something else. */
  readonly forget: () => void
}

const nothing = { isBusy: false, planned: undefined, failure: undefined }

/** What an action would do. Nothing is done. */
export function usePreview(action: WireAction): Preview {
  const [state, setState] = useState<Omit<Preview, 'look' | 'forget'>>(nothing)
  return {
    ...state,
    forget: () => setState(nothing),
    look(values) {
      setState((before) => ({ ...before, isBusy: true }))
      const { plain, hidden } = parametersOf(action, values)
      api<{ readonly plan?: Plan }>(action.name, { ...plain, dryrun: true }, { hidden }).then(
        (planned) => setState({ ...nothing, planned }),
        (failure: ApiFailure) => setState({ ...nothing, failure }),
      )
    },
  }
}

/** The steps, and what to know before. */
export function PlanOf({ preview: { planned, failure } }: { readonly preview: Preview }) {
  if (failure) return <FailureNotice failure={failure} />
  if (!planned) return null
  const { plan, message } = planned
  return (
    <div class="plan" role="status">
      <h3>{t('form.planned')}</h3>
      {!plan && <p lang="en">{message}</p>}
      {plan && plan.notes.length > 0 && (
        <ul lang="en">
          {plan.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {plan && (
        <ol lang="en">
          {plan.steps.map(({ id, title }) => (
            <li key={id}>{title}</li>
          ))}
        </ol>
      )}
    </div>
  )
}
