import { Button, ButtonLink } from '@steward/page-kit'
import { titleOf } from '../../components/action-form.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import '../../styles/panel.css'
import type { Ask } from '../instance/tab.js'

export interface AttentionActionsProps {
  /** Id of the operation that needs attention. */
  readonly operation: string
  /** Name of its instance; empty: none. */
  readonly instance: string
  readonly ask: Ask
}

/** The ways out of an operation that could be neither finished nor rolled back. */
export function AttentionActions({ operation, instance, ask }: AttentionActionsProps) {
  const { isAllowed } = useActionTable()
  // So that a dialog names the instance, and asks for its name rather than for an id.
  const about = { instances: instance === '' ? [] : [instance] }
  return (
    <span class="part-buttons">
      {isAllowed('operation-retry') && (
        <Button
          kind="primary"
          icon="restart"
          onClick={() => ask('operation-retry', { ...about, given: { id: operation } })}
        >
          {titleOf('operation-retry')}
        </Button>
      )}
      {instance !== '' && isAllowed('logs') && (
        <ButtonLink href={pathTo('instances', instance, 'logs')}>{t('operations.showLog')}</ButtonLink>
      )}
      {isAllowed('giveup') && (
        <Button kind="danger" onClick={() => ask('giveup', { ...about, given: { operation } })}>
          {titleOf('giveup')}
        </Button>
      )}
    </span>
  )
}
