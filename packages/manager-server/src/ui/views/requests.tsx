import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { InstanceRequest } from '@steward/manager-core'
import { Badge, Button, type Column, EmptyState, Skeleton, Table, Time, type Tone, View } from '@steward/page-kit'
import { ActionDialog } from '../components/action-dialog.js'
import { FailureNotice } from '../components/failure-notice.js'
import { FeatureOff } from '../components/feature-off.js'
import { pathTo } from '../lib/addresses.js'
import { hasText, t } from '../lib/i18n.js'
import { useActionTable, useSession } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'
import '../styles/requests.css'

const refreshMs = 15_000

const tones: Readonly<Record<string, Tone>> = {
  unconfirmed: 'neutral',
  confirmed: 'warn',
  approved: 'good',
  rejected: 'neutral',
  failed: 'bad',
}

interface Decision {
  readonly action: 'requests-approve' | 'requests-reject'
  readonly request: InstanceRequest
}

/** What people have asked for at the public form; those that wait for a decision come first. */
export function Requests() {
  const session = useSession()
  if (session && !session.features.register)
    return (
      <View title={t('nav.requests')}>
        <FeatureOff title={t('off.register')} setting="APPS_ALLOWREGISTER=yes" />
      </View>
    )
  return <RequestList />
}

function RequestList() {
  const { data, failure, reload } = useApi<{ list: readonly InstanceRequest[] }>('requests-list', {}, { refreshMs })
  const [deciding, setDeciding] = useState<Decision>()
  const columns = useColumns(setDeciding)
  const list = data?.list.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)))
  const end = () => {
    setDeciding(undefined)
    reload()
  }
  return (
    <View
      title={t('nav.requests')}
      aside={list && <span role="status">{t('requests.open', { count: list.filter(isOpen).length })}</span>}
    >
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {data?.warnings?.map((warning) => (
        <p key={warning} class="notice warn" lang="en">
          {warning}
        </p>
      ))}
      {!list && !failure && <Skeleton />}
      {list?.length === 0 && (
        <EmptyState title={t('requests.none')}>
          <p>{t('requests.noneText')}</p>
        </EmptyState>
      )}
      {list && list.length > 0 && (
        <Table
          caption={t('nav.requests')}
          columns={columns}
          rows={list}
          rowKey={({ id }) => String(id)}
          rowName={({ name }) => name}
        />
      )}
      {deciding && (
        <ActionDialog
          action={deciding.action}
          title={t(deciding.action === 'requests-approve' ? 'requests.approveOf' : 'requests.rejectOf', {
            name: deciding.request.name,
          })}
          given={{ id: String(deciding.request.id) }}
          onClose={end}
          onDone={reload}
        />
      )}
    </View>
  )
}

/** It is decided, but the mail that says so was not sent; to approve it once more sends it. */
function isUntold({ status, note }: InstanceRequest): boolean {
  return status === 'approved' && note !== ''
}

/** Waits for a decision. */
function isOpen({ status }: InstanceRequest): boolean {
  return status === 'confirmed' || status === 'failed'
}

function useColumns(decide: (decision: Decision) => void): readonly Column<InstanceRequest>[] {
  const { isAllowed } = useActionTable()
  const decisions = (['requests-approve', 'requests-reject'] as const).filter(isAllowed)
  return [
    {
      id: 'name',
      title: t('column.name'),
      cell: ({ name, instance }) =>
        instance === '' ? <strong>{name}</strong> : <a href={pathTo('instances', instance)}>{instance}</a>,
      onCard: 'title',
    },
    { id: 'status', title: t('column.status'), cell: (row) => <Status row={row} />, onCard: 'corner' },
    { id: 'person', title: t('requests.person'), cell: (row) => <Person row={row} /> },
    { id: 'version', title: t('column.version'), cell: ({ version }) => version },
    { id: 'created', title: t('requests.created'), cell: ({ created }) => <Time at={created} />, wideOnly: true },
    {
      id: 'decide',
      title: t('requests.decide'),
      cell: (row) =>
        isOpen(row) ? (
          <span class="decisions">
            {decisions.map((action) => (
              <Button
                key={action}
                small
                kind={action === 'requests-reject' ? 'plain' : 'primary'}
                onClick={() => decide({ action, request: row })}
              >
                {t(`action.${action}`)}
              </Button>
            ))}
          </span>
        ) : (
          <Decided row={row}>
            {isUntold(row) && decisions.includes('requests-approve') && (
              <Button small onClick={() => decide({ action: 'requests-approve', request: row })}>
                {t('requests.tell')}
              </Button>
            )}
          </Decided>
        ),
    },
  ]
}

function Status({ row: { status } }: { readonly row: InstanceRequest }) {
  const key = `requests.${status}`
  return <Badge tone={tones[status] ?? 'neutral'}>{hasText(key) ? t(key) : status}</Badge>
}

function Person({ row: { email, firstname, lastname, company, phone } }: { readonly row: InstanceRequest }) {
  const name = `${firstname} ${lastname}`.trim()
  return (
    <span class="person">
      {name !== '' && <span>{name}</span>}
      <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>
      {(company !== '' || phone !== '') && (
        <span class="quiet">{[company, phone].filter((text) => text !== '').join(' · ')}</span>
      )}
    </span>
  )
}

interface DecidedProps {
  readonly row: InstanceRequest
  readonly children: ComponentChildren
}

function Decided({ row: { decided, decided_by: by, note }, children }: DecidedProps) {
  return (
    <span class="person quiet">
      {by !== '' && <span>{t('requests.decidedBy', { by })}</span>}
      {decided !== '' && <Time at={decided} />}
      {note !== '' && <span>{note}</span>}
      {children}
    </span>
  )
}
