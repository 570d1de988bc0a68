import { useRoute } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { Button, Confirm, EmptyState, formatDuration, Time, toast, useStore, View } from '@steward/page-kit'
import { ActionDialog, type ActionDialogProps } from '../components/action-dialog.js'
import { ActionResult } from '../components/action-result.js'
import { OperationProgress } from '../components/operation-progress.js'
import { Facts, Panel } from '../components/panel.js'
import { pathTo } from '../lib/addresses.js'
import { api, type ApiFailure } from '../lib/api.js'
import { changes } from '../lib/changes.js'
import { t } from '../lib/i18n.js'
import { hasEnded, type Operation as Item } from '../lib/operation.js'
import { useActionTable } from '../lib/session.js'
import { useOperation } from '../lib/use-operation.js'
import type { ActionUse, Ask } from './instance/tab.js'
import { AttentionActions } from './operations/attention-actions.js'
import { OperationBadge } from './operations/operation-badge.js'

/** One operation, and the ways out when it needs attention. */
export function Operation() {
  const { id = '' } = useRoute().params
  const turn = useStore(changes)
  const [asked, setAsked] = useState<Asked>()
  return (
    <>
      <Followed key={`${id} ${turn}`} id={id} ask={(action, use) => setAsked({ action, ...use })} />
      {asked && <ActionDialog {...asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

type Asked = Pick<ActionDialogProps, 'action'> & ActionUse

/** A running operation; it catches up after a break of any kind. */
function Followed({ id, ask }: { readonly id: string; readonly ask: Ask }) {
  const followed = useOperation(id)
  const { operation, failure } = followed
  const back = <a href={pathTo('activity')}>← {t('nav.activity')}</a>
  if (failure?.status === 404)
    return (
      <View title={t('nav.activity')} above={back}>
        <EmptyState title={t('operations.missing')}>
          <p>{t('operations.missingText')}</p>
        </EmptyState>
      </View>
    )
  return (
    <View
      title={operation?.title ?? t('operations.one')}
      above={back}
      aside={operation && <OperationBadge state={operation.state} />}
      actions={operation && <Cancel operation={operation} />}
    >
      <div class="parts">
        <Panel title={t('operations.steps')}>
          <OperationProgress {...followed} />
          {operation?.state === 'attention' && (
            <AttentionActions operation={operation.result?.operation ?? id} instance={operation.instance} ask={ask} />
          )}
          {operation?.state === 'succeeded' && operation.result && <ActionResult result={operation.result} />}
        </Panel>
        {operation && (
          <Panel title={t('operations.about')}>
            <AboutIt operation={operation} />
          </Panel>
        )}
      </div>
    </View>
  )
}

function AboutIt({ operation: { id, action, instance, actor, started, ended } }: { readonly operation: Item }) {
  return (
    <Facts
      facts={[
        [t('history.action'), action],
        [t('operations.instance'), instance && <a href={pathTo('instances', instance)}>{instance}</a>],
        [t('operations.actor'), actor],
        [t('operations.started'), <Time at={started} as="date" />],
        [t('operations.ended'), ended ? <Time at={ended} as="date" /> : undefined],
        [t('history.duration'), <Duration started={started} ended={ended} />],
        [t('operations.id'), <code>{id}</code>],
      ]}
    />
  )
}

/** Advances with the clock until it has ended. */
function Duration({ started, ended }: Pick<Item, 'started' | 'ended'>) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (ended) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [ended])
  const ms = Math.max(0, (ended ? Date.parse(ended) : now) - Date.parse(started))
  return <>{formatDuration(ended ? ms : Math.round(ms / 1000) * 1000)}</>
}

/** Offered while it runs; the manager refuses when it is past its point of no return. */
function Cancel({ operation }: { readonly operation: Item }) {
  const { isAllowed } = useActionTable()
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const { id, title, state } = operation
  if (hasEnded(operation) || state === 'undoing' || !isAllowed('operation-cancel')) return null
  const cancel = async () => {
    setBusy(true)
    try {
      toast((await api('operation-cancel', { id })).message)
    } catch (failure) {
      toast((failure as ApiFailure).message, { tone: 'bad' })
    }
    setBusy(false)
    setAsking(false)
  }
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {t('action.operation-cancel')}
      </Button>
      <Confirm
        open={isAsking}
        title={t('action.operation-cancel')}
        action={t('action.operation-cancel')}
        danger
        busy={isBusy}
        onClose={() => setAsking(false)}
        onConfirm={() => void cancel()}
      >
        <p lang="en">{title}</p>
        <p>{t('operations.cancelText')}</p>
      </Confirm>
    </>
  )
}
