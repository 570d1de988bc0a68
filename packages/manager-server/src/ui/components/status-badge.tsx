import { Badge, type Tone } from '@steward/page-kit'
import type { Observed } from '@steward/manager-core'
import { t } from '../lib/i18n.js'

const tones = {
  started: 'good',
  starting: 'busy',
  degraded: 'warn',
  stopped: 'neutral',
  asleep: 'neutral',
  crashed: 'bad',
  suspended: 'busy',
  unknown: 'warn',
} as const satisfies Readonly<Record<Observed, Tone>>

export const observedStates = Object.keys(tones) as readonly Observed[]

/** @param observed as the API says it; one that is not known is shown as it is */
export function StatusBadge({ observed }: { readonly observed: string }) {
  if (!Object.hasOwn(tones, observed)) return <Badge>{observed}</Badge>
  const state = observed as Observed
  return <Badge tone={tones[state]}>{t(`status.${state}`)}</Badge>
}
