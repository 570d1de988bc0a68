import type { WireIncident } from '@steward/manager-core'
import { Badge, formatDuration, Time } from '@steward/page-kit'
import { Panel } from '../../components/panel.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'

/** When instances did not answer as they should, the newest first. */
export function Incidents() {
  const { data } = useApi<{ readonly list: readonly WireIncident[] }>('incidents', { limit: 20 }, { refreshMs: 15_000 })
  if (!data) return null
  return (
    <Panel title={t('monitor.incidents')}>
      {data.list.length === 0 ? (
        <p class="quiet">{t('monitor.noIncidents')}</p>
      ) : (
        <ul class="incident-list">
          {data.list.map((incident) => (
            <One key={incident.id} incident={incident} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function One({ incident: { opened, closed, message, instances } }: { readonly incident: WireIncident }) {
  const isOpen = closed === ''
  return (
    <li>
      <p>
        <Badge tone={isOpen ? 'bad' : 'neutral'}>{t(isOpen ? 'monitor.open' : 'monitor.over')}</Badge>{' '}
        <Time at={opened} />
        {!isOpen && (
          <span class="quiet">
            , {t('monitor.lasted', { time: formatDuration(Date.parse(closed) - Date.parse(opened)) })}
          </span>
        )}
      </p>
      <p lang="en">{message}</p>
      <p class="quiet">
        {instances.slice(0, 12).map(({ name, reason }, at) => (
          <span key={name}>
            {at > 0 && ', '}
            <a href={pathTo('instances', name)}>{name}</a> ({reason})
          </span>
        ))}
        {instances.length > 12 && ' …'}
      </p>
    </li>
  )
}
