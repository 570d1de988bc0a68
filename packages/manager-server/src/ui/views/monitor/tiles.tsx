import type { MonitoredInstance } from '@steward/manager-core'
import { formatNumber } from '@steward/page-kit'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { formatMeasure } from '../../lib/units.js'
import { rank } from './columns.js'

/** How all instances are, in four numbers. */
export function Tiles({ rows }: { readonly rows: readonly MonitoredInstance[] }) {
  const running = rows.filter(({ status }) => status === 'started')
  const down = running.filter((row) => rank(row) >= 3).length
  const healthy = running.filter((row) => rank(row) === 2).length
  const [slowest] = running.toSorted((a, b) => (b.response_ms ?? -1) - (a.response_ms ?? -1))
  return (
    <div role="status">
      <dl class="tiles">
        <div class={down > 0 ? 'panel bad' : 'panel'}>
          <dt>{t('monitor.down')}</dt>
          <dd>{formatNumber(down)}</dd>
        </div>
        <div class="panel">
          <dt>{t('monitor.ok')}</dt>
          <dd>{formatNumber(healthy)}</dd>
        </div>
        <div class="panel">
          <dt>{t('monitor.stopped')}</dt>
          <dd>{formatNumber(rows.length - running.length)}</dd>
        </div>
        <div class="panel">
          <dt>{t('monitor.slowest')}</dt>
          <dd>
            {formatMeasure('response_ms', slowest?.response_ms)}{' '}
            {slowest && slowest.response_ms !== null && <a href={pathTo('instances', slowest.name)}>{slowest.name}</a>}
          </dd>
        </div>
      </dl>
    </div>
  )
}
