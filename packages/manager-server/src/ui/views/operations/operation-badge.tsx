import { Badge, type Tone } from '@steward/page-kit'
import { t } from '../../lib/i18n.js'
import type { OperationState } from '../../lib/operation.js'

export const operationTone: Readonly<Record<OperationState, Tone>> = {
  queued: 'neutral',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  rolled_back: 'bad',
  undoing: 'warn',
  attention: 'bad',
  interrupted: 'warn',
}

/** The state of an operation. */
export function OperationBadge({ state }: { readonly state: OperationState }) {
  return <Badge tone={operationTone[state]}>{t(`state.${state}`)}</Badge>
}
