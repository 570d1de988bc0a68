import { useState } from 'preact/hooks'
import { Button, ButtonLink, formatDuration, Icon } from '@steward/page-kit'
import { ActionResult } from '../../components/action-result.js'
import { CopyButton } from '../../components/copy-button.js'
import { FailureNotice } from '../../components/failure-notice.js'
import { OperationSteps } from '../../components/operation-steps.js'
import { api, type ApiFailure } from '../../lib/api.js'
import { t } from '../../lib/i18n.js'
import { addressOf, type Instance } from '../../lib/instance.js'
import type { Operation } from '../../lib/operation.js'
import { useActionTable } from '../../lib/session.js'
import type { Run } from '../../lib/use-run.js'

interface Made {
  readonly name: string
  readonly address: string
  readonly isRunning: boolean
  /** In ms; undefined: that is not known. */
  readonly took: number | undefined
  readonly operation: Operation | undefined
  readonly warnings: readonly string[]
}

/** The instance that was made; undefined: the answer has none. */
export function createdBy({ result, followed: { operation } }: Run): Made | undefined {
  const item = result?.item as Instance | undefined
  if (item?.name === undefined) return undefined
  return {
    name: item.name,
    address: addressOf(item),
    isRunning: item.status === 'started',
    took: operation?.ended ? Date.parse(operation.ended) - Date.parse(operation.started) : undefined,
    operation,
    warnings: operation?.warnings ?? [],
  }
}

/** A new instance: where it is, who may sign in, and how long it took. */
export function Created(props: Made & { readonly hasNewUsers: boolean }) {
  const { name, address, isRunning, took, operation, warnings, hasNewUsers } = props
  return (
    <div class="created">
      <p class="created-head" role="status">
        <Icon name="check" />
        <strong>{t(isRunning ? 'create.running' : 'create.stopped', { name })}</strong>
        {took !== undefined && <span class="quiet">{t('create.took', { time: formatDuration(took) })}</span>}
      </p>
      <div class="created-address">
        <code>{address}</code>
        <CopyButton value={address} of={t('instance.address')} />
        {isRunning && (
          <ButtonLink small kind="primary" icon="link" href={address} target="_blank" rel="noopener noreferrer">
            {t('create.open')}
          </ButtonLink>
        )}
      </div>
      {warnings.map((warning) => (
        <p key={warning} class="notice warn" lang="en">
          {warning}
        </p>
      ))}
      {hasNewUsers ? <Administrator name={name} /> : <p class="quiet">{t('create.sameUsers')}</p>}
      {operation && (
        <details>
          <summary>{t('operations.steps')}</summary>
          <OperationSteps operation={operation} />
        </details>
      )}
    </div>
  )
}

/** Who may sign in first. It is requested by a button only, because it is a secret and the request is in the history. */
function Administrator({ name }: { readonly name: string }) {
  const { isAllowed } = useActionTable()
  const [state, setState] = useState<'idle' | 'busy' | ApiFailure | object>('idle')
  if (!isAllowed('iocredentials'))
    return (
      <p class="quiet">
        {t('create.password')} <code>{`manager iocredentials ${name}`}</code>
      </p>
    )
  if (state instanceof Error) return <FailureNotice failure={state} />
  if (typeof state === 'object') return <ActionResult result={state} />
  const show = () => {
    setState('busy')
    api<{ readonly admin_user?: string; readonly admin_password?: string }>('iocredentials', { name }).then(
      ({ admin_user, admin_password }) => setState({ admin_user, admin_password }),
      setState,
    )
  }
  return (
    <Button small busy={state === 'busy'} onClick={show}>
      {t('create.administrator')}
    </Button>
  )
}
