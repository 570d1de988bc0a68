import type { AccessSummary } from '@steward/manager-core'
import { ButtonLink, EmptyState, formatBytes, formatDuration, formatNumber, Skeleton, Time } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { Facts, Panel } from '../../components/panel.js'
import { apiAddress } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'
import type { TabProps } from './tab.js'

/** The report on requests. */
export function AccessTab({ item: { name } }: TabProps) {
  const { data, failure, reload } = useApi<{ readonly item: AccessSummary }>('accesslogs', { name })
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  const { item } = data
  if (item.requests === 0)
    return (
      <EmptyState title={t('access.none')}>
        <p>{t('access.noneText')}</p>
      </EmptyState>
    )
  const { average, p50, p95, max } = item.durationMs
  return (
    <div class="parts">
      <Panel
        title={t('access.summary')}
        actions={
          <ButtonLink small href={apiAddress('accesslogs', { name, html: true })} download target="_blank">
            {t('access.html')}
          </ButtonLink>
        }
      >
        <Facts
          facts={[
            [t('access.requests'), formatNumber(item.requests)],
            [t('access.visitors'), formatNumber(item.visitors)],
            [t('access.bytes'), formatBytes(item.bytes)],
            [t('access.from'), item.from === undefined ? undefined : <Time at={item.from} as="date" />],
            [t('access.to'), item.to === undefined ? undefined : <Time at={item.to} as="date" />],
            [
              t('access.durations'),
              t('access.durationsText', {
                average: formatDuration(average),
                p50: formatDuration(p50),
                p95: formatDuration(p95),
                max: formatDuration(max),
              }),
            ],
          ]}
        />
      </Panel>
      <Panel title={t('access.statuses')}>
        <Bars rows={Object.entries(item.statuses).map(([status, requests]) => ({ name: status, requests }))} />
      </Panel>
      <Panel title={t('access.days')}>
        <Bars rows={item.days.slice(-31)} />
      </Panel>
      <Counts title={t('access.paths')} rows={item.paths} />
      <Counts title={t('access.addresses')} rows={item.visitorsByRequests} />
      {item.users.length > 0 && <Counts title={t('access.users')} rows={item.users} />}
    </div>
  )
}

/** Numbers as lengths, beside the numbers themselves. */
function Bars({ rows }: { readonly rows: readonly Pick<AccessSummary['days'][number], 'name' | 'requests'>[] }) {
  const most = Math.max(...rows.map(({ requests }) => requests), 1)
  return (
    <ul class="bars">
      {rows.map(({ name, requests }) => (
        <li key={name}>
          <span>{name}</span>
          <progress max={most} value={requests} aria-hidden="true" />
          <span class="end">{formatNumber(requests)}</span>
        </li>
      ))}
    </ul>
  )
}

function Counts({ title, rows }: { readonly title: string; readonly rows: AccessSummary['days'] }) {
  return (
    <Panel title={title}>
      <div class="part-scroll" tabIndex={0} role="region" aria-label={t('monitor.numbers', { measure: title })}>
        <table>
          <thead>
            <tr>
              <th scope="col">{title}</th>
              <th scope="col" class="end">
                {t('access.requests')}
              </th>
              <th scope="col" class="end">
                {t('access.errors')}
              </th>
              <th scope="col" class="end">
                {t('access.average')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, requests, errors, averageMs }) => (
              <tr key={name}>
                <td>{name}</td>
                <td class="end">{formatNumber(requests)}</td>
                <td class="end">{formatNumber(errors)}</td>
                <td class="end">{formatDuration(averageMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
