import type { WireIncident } from '@steward/manager-core'
import { Badge, formatDuration, Icon, Time } from '@steward/page-kit'
import { Panel } from '../../components/panel.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'

/** The latest incidents, the newest first. */
export function useIncidents(isAllowed: boolean): readonly WireIncident[] | undefined {
  const action = isAllowed ? 'incidents' : undefined
  return useApi<{ readonly list: readonly WireIncident[] }>(action, { limit: 20 }, { refreshMs: 15_000 }).data?.list
}

/** What is wrong now, above all others. */
export function OpenIncidents({ incidents = [] }: { readonly incidents: readonly WireIncident[] | undefined }) {
  const open = incidents.filter(({ closed }) => closed === '')
  if (open.length === 0) return null
  return (
    <div class="notice bad">
      <Icon name="alert" />
      <ul class="incident-list notice-text" aria-label={t('monitor.openIncidents')}>
        {open.map((incident) => (
          <One key={incident.id} incident={incident} />
        ))}
      </ul>
    </div>
  )
}

/** When instances did not answer as they should. Those that are open stand above. */
export function Incidents({ incidents }: { readonly incidents: readonly WireIncident[] }) {
  const over = incidents.filter(({ closed }) => closed !== '')
  if (over.length === 0 && incidents.length > 0) return null
  return (
    <Panel title={t('monitor.incidents')}>
      {over.length === 0 ? (
        <p class="quiet">{t('monitor.noIncidents')}</p>
      ) : (
        <ul class="incident-list">
          {over.map((incident) => (
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
