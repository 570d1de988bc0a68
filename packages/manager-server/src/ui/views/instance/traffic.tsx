import type { AccessSummary } from '@steward/manager-core'
import {
  ButtonLink,
  EmptyState,
  formatBytes,
  formatDateTime,
  formatDuration,
  formatNumber,
  Skeleton,
  Time,
} from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { Facts, Panel } from '../../components/panel.js'
import { apiAddress } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'
import '../../styles/traffic.css'
import type { TabProps } from './tab.js'

/** The report on requests: how many, when, and how they were answered. */
export function Traffic({ item: { name } }: TabProps) {
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
        <Statuses statuses={item.statuses} all={item.requests} />
      </Panel>
      <Panel title={t('access.hours')} wide>
        <Hours hours={item.hours} to={item.to ?? ''} />
      </Panel>
      <Counts title={t('access.paths')} rows={item.paths} all={item.requests} />
      <Counts title={t('access.addresses')} rows={item.visitorsByRequests} all={item.requests} />
      {item.users.length > 0 && <Counts title={t('access.users')} rows={item.users} all={item.requests} />}
    </div>
  )
}

/** `4xx` and `5xx` are what one looks for. */
const toneOf: Readonly<Record<string, string>> = { '4xx': 'warn', '5xx': 'bad' }

function Statuses({ statuses, all }: { readonly statuses: AccessSummary['statuses']; readonly all: number }) {
  return (
    <ul class="bars">
      {Object.entries(statuses)
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([status, requests]) => (
          <li key={status}>
            <span>{status}</span>
            <progress class={toneOf[status] ?? ''} max={all} value={requests} aria-hidden="true" />
            <span class="end">{formatNumber(requests)}</span>
            <span class="end quiet">{shareText(requests / all)}</span>
          </li>
        ))}
    </ul>
  )
}

function shareText(share: number): string {
  return `${formatNumber(share * 100, share < 0.1 ? 1 : 0)} %`
}

const hourMs = 3_600_000
/** A bar each. Not specified; chosen so that the same hour of the day before is seen, too. */
const shownHours = 48
const barWidth = 10
const chartHeight = 100

/** A bar for each hour up to the last request, errors at its foot; the same in words below. */
function Hours({ hours, to }: { readonly hours: AccessSummary['hours']; readonly to: string }) {
  const counts = new Map(hours.map((hour) => [Date.parse(`${hour.name}:00Z`), hour]))
  const last = Math.floor(Date.parse(to) / hourMs) * hourMs
  const bars = Array.from({ length: shownHours }, (_, n) => last - (shownHours - 1 - n) * hourMs).map((at) => ({
    at: formatDateTime(new Date(at).toISOString()),
    requests: counts.get(at)?.requests ?? 0,
    errors: counts.get(at)?.errors ?? 0,
  }))
  const most = Math.max(...bars.map(({ requests }) => requests), 1)
  const heightOf = (requests: number) => (requests / most) * chartHeight
  const busiest = bars.find(({ requests }) => requests === most)
  return (
    <figure class="hours">
      <svg
        viewBox={`0 0 ${shownHours * barWidth} ${chartHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('access.hours')}
      >
        {bars.map(({ at, requests, errors }, n) => (
          <g key={at}>
            <title>{t('access.hour', { at, requests, errors })}</title>
            <rect class="hour-place" x={n * barWidth} y={0} width={barWidth} height={chartHeight} />
            <rect
              class="hour"
              x={n * barWidth + 1}
              y={chartHeight - heightOf(requests)}
              width={barWidth - 2}
              height={heightOf(requests)}
            />
            <rect
              class="hour-errors"
              x={n * barWidth + 1}
              y={chartHeight - heightOf(errors)}
              width={barWidth - 2}
              height={heightOf(errors)}
            />
          </g>
        ))}
      </svg>
      <figcaption>
        <span>{bars[0]?.at}</span>
        <span>{busiest && t('access.busiest', { at: busiest.at, requests: most })}</span>
        <span>{bars.at(-1)?.at}</span>
      </figcaption>
    </figure>
  )
}

interface CountsProps {
  readonly title: string
  readonly rows: AccessSummary['paths']
  /** Requests of all. */
  readonly all: number
}

function Counts({ title, rows, all }: CountsProps) {
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
                {t('access.share')}
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
                <td class="end">{shareText(requests / all)}</td>
                <td class={`end ${errors > 0 ? 'bad-text' : ''}`}>{formatNumber(errors)}</td>
                <td class="end">{formatDuration(averageMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
