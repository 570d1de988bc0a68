import { useLocation } from 'preact-iso'
import { type Column, EmptyState, formatDuration, Skeleton, Table, Time, View } from '@steward/page-kit'
import { FailureNotice } from '../components/failure-notice.js'
import { pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'
import type { Operation, OperationState } from '../lib/operation.js'
import { useApi } from '../lib/use-api.js'
import '../styles/panel.css'
import { OperationBadge } from './operations/operation-badge.js'

const states: readonly OperationState[] = [
  ...(['queued', 'running', 'undoing', 'interrupted'] as const),
  ...(['succeeded', 'failed', 'rolled_back', 'attention'] as const),
]

const columns: readonly Column<Operation>[] = [
  {
    id: 'title',
    title: t('operations.what'),
    onCard: 'title',
    cell: ({ id, title, message }) => (
      <span class="cell-lines">
        <a href={pathTo('operations', id)} lang="en">
          {title}
        </a>
        {message !== '' && message !== `${title}: done.` && (
          <span class="cell-about cell-short" lang="en">
            {message}
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'state',
    title: t('operations.state'),
    onCard: 'corner',
    cell: ({ state }) => <OperationBadge state={state} />,
  },
  {
    id: 'instance',
    title: t('operations.instance'),
    cell: ({ instance }) =>
      instance === '' ? <span class="quiet">–</span> : <a href={pathTo('instances', instance)}>{instance}</a>,
  },
  { id: 'actor', title: t('operations.actor'), cell: ({ actor }) => actor, wideOnly: true },
  {
    id: 'started',
    title: t('operations.started'),
    cell: ({ started }) => (
      <span class="nowrap">
        <Time at={started} />
      </span>
    ),
  },
  {
    id: 'duration',
    title: t('history.duration'),
    align: 'end',
    cell: ({ started, ended }) => (
      <span class="nowrap">{ended ? formatDuration(Date.parse(ended) - Date.parse(started)) : '–'}</span>
    ),
  },
]

/** What is done and was done, the newest first; the filters are in the address. */
export function Operations() {
  const { query, route } = useLocation()
  const { state = '', instance = '' } = query
  const { data, failure, reload } = useApi<{ readonly list: readonly Operation[] }>(
    'operations',
    { state, instance, limit: 200 },
    { refreshMs: 3000 },
  )
  const show = (next: { readonly state?: string; readonly instance?: string }) => {
    const filters = Object.entries({ state, instance, ...next }).filter(([, value]) => value !== '')
    const text = new URLSearchParams(filters).toString()
    route(`${pathTo('operations')}${text === '' ? '' : `?${text}`}`, true)
  }
  return (
    <View title={t('nav.operations')}>
      <div class="tab-bar filters" role="search" aria-label={t('operations.filters')}>
        <label class="field">
          <span>{t('operations.state')}</span>
          <select value={state} onChange={({ currentTarget }) => show({ state: currentTarget.value })}>
            <option value="">{t('operations.anyState')}</option>
            {states.map((one) => (
              <option key={one} value={one}>
                {t(`state.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{t('operations.instance')}</span>
          <input
            type="search"
            value={instance}
            spellcheck={false}
            placeholder={t('operations.anyInstance')}
            onChange={({ currentTarget }) => show({ instance: currentTarget.value.trim() })}
          />
        </label>
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!data && !failure && <Skeleton />}
      {data &&
        (data.list.length === 0 ? (
          <EmptyState title={t('operations.none')} />
        ) : (
          <Table caption={t('nav.operations')} columns={columns} rows={data.list} rowKey={({ id }) => id} />
        ))}
    </View>
  )
}
