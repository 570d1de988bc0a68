import type { WireIncident } from '@steward/manager-core'
import { Badge, Skeleton, Time } from '@steward/page-kit'
import { Panel } from '../../components/panel.js'
import { Sparkline } from '../../components/sparkline.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { formatMeasure, measures } from '../../lib/units.js'
import { useApi } from '../../lib/use-api.js'
import { useSamples } from '../../lib/use-samples.js'
import type { TabProps } from './tab.js'

const hourMs = 3_600_000

/** What was measured last, how it was in the last hour, and incidents. */
export function MeasuredPanel({ item: { name } }: TabProps) {
  const { isAllowed } = useActionTable()
  const { series } = useSamples(isAllowed('samples') ? [name] : [], hourMs, 60)
  const samples = series?.[0]?.samples
  const newest = samples?.at(-1)
  const more = <a href={`${pathTo('monitor')}?instances=${encodeURIComponent(name)}`}>{t('instance.charts')}</a>
  return (
    <Panel title={t('instance.now')} actions={more}>
      {!samples ? (
        <Skeleton lines={3} />
      ) : !newest ? (
        <p class="quiet">{t('instance.notMeasured')}</p>
      ) : (
        <>
          <p>
            <Badge tone={newest.ok ? 'good' : 'bad'}>{newest.ok ? t('monitor.ok') : newest.reason}</Badge>{' '}
            <span class="quiet">
              <Time at={newest.at} />
            </span>
          </p>
          <dl class="measures">
            {measures.map((measure) => (
              <div key={measure}>
                <dt>{t(`monitor.${measure}`)}</dt>
                <dd>{formatMeasure(measure, newest[measure])}</dd>
                <Sparkline
                  values={samples.map((sample) => sample[measure])}
                  label={t('monitor.lastHour', { measure: t(`monitor.${measure}`) })}
                />
              </div>
            ))}
          </dl>
        </>
      )}
      <IncidentsOf name={name} />
    </Panel>
  )
}

/** The newest incidents that it was part of. */
function IncidentsOf({ name }: { readonly name: string }) {
  const { isAllowed } = useActionTable()
  const { data } = useApi<{ readonly list: readonly WireIncident[] }>(
    isAllowed('incidents') ? 'incidents' : undefined,
    {},
    { refreshMs: 30_000 },
  )
  const own = (data?.list ?? []).flatMap((incident) =>
    incident.instances.filter((one) => one.name === name).map((one) => ({ ...one, id: incident.id })),
  )
  if (own.length === 0) return null
  return (
    <div>
      <h3>{t('monitor.incidents')}</h3>
      <ul class="incidents">
        {own.slice(0, 4).map(({ id, reason, opened, closed }) => (
          <li key={`${id} ${opened}`}>
            <Badge tone={closed === '' ? 'bad' : 'neutral'}>{t(closed === '' ? 'monitor.open' : 'monitor.over')}</Badge>{' '}
            {reason} <Time at={opened} />
          </li>
        ))}
      </ul>
    </div>
  )
}
