import { useEffect, useState } from 'preact/hooks'
import { Button, type IconName } from '@steward/page-kit'
import { ActionDialog } from '../../components/action-dialog.js'
import { dataChanged } from '../../lib/changes.js'
import { chosenInstances } from '../../lib/chosen.js'
import { hasText, t } from '../../lib/i18n.js'
import type { Instance } from '../../lib/instance.js'
import { useActionTable } from '../../lib/session.js'

/** What may be done with several instances at once. */
const offered: readonly { readonly action: string; readonly icon: IconName }[] = [
  { action: 'start', icon: 'start' },
  { action: 'stop', icon: 'stop' },
  { action: 'restart', icon: 'restart' },
  { action: 'save', icon: 'save' },
  { action: 'upgrade', icon: 'up' },
  { action: 'delete', icon: 'trash' },
]

export interface BulkBarProps {
  /** Those that are chosen and shown. */
  readonly chosen: readonly Instance[]
  readonly onClear: () => void
}

/** What to do with the chosen instances; only what who looks may do. */
export function BulkBar({ chosen, onClear }: BulkBarProps) {
  const { isAllowed } = useActionTable()
  const [doing, setDoing] = useState<{ readonly action: string; readonly instances: readonly string[] }>()
  const actions = offered.filter(({ action }) => isAllowed(action))
  const names = chosen.map(({ name }) => name)
  useEffect(() => {
    chosenInstances.set(names)
    return () => chosenInstances.set([])
  }, [names.join()])
  const end = () => {
    setDoing(undefined)
    // Those that were started continue, and are shown as such.
    dataChanged()
  }
  return (
    <>
      {chosen.length > 0 && (
        <section class="bulk-bar" aria-label={t('instances.chosenActions')}>
          <p role="status">{t('instances.chosen', { count: chosen.length })}</p>
          <div class="bulk-actions">
            {actions.map(({ action, icon }) => {
              const key = `action.${action}`
              return (
                <Button
                  key={action}
                  small
                  icon={icon}
                  kind={action === 'delete' ? 'danger' : 'plain'}
                  onClick={() => setDoing({ action, instances: names })}
                >
                  {hasText(key) ? t(key) : action}
                </Button>
              )
            })}
          </div>
          <Button kind="quiet" small icon="close" label={t('instances.clearChosen')} onClick={onClear} />
        </section>
      )}
      {doing && <ActionDialog {...doing} onClose={end} />}
    </>
  )
}
