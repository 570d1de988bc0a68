import type { WireVersion } from '@steward/manager-core'
import { Badge, Button, Time } from '@steward/page-kit'
import { StatusBadge } from '../../components/status-badge.js'
import { Facts, Panel } from '../../components/panel.js'
import { t } from '../../lib/i18n.js'
import { addressOf, isOtherwise, needsUpgrade } from '../../lib/instance.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { BackupPanel } from './backup-panel.js'
import { FlagsPanel } from './flags-panel.js'
import { AllActions } from './main-actions.js'
import { MeasuredPanel } from './measured-panel.js'
import type { TabProps } from './tab.js'

/** What it is, how it is, and what can be done. */
export function OverviewTab(props: TabProps) {
  const { item } = props
  const address = addressOf(item)
  const owner = [item.firstname, item.lastname].filter(Boolean).join(' ')
  return (
    <div class="parts">
      <Panel title={t('instance.about')}>
        <Facts
          facts={[
            [t('instance.status'), <StatusOf {...props} />],
            [
              t('instance.address'),
              <a href={address} target="_blank" rel="noreferrer">
                {address}
              </a>,
            ],
            ...(address === item.url ? [] : ([[t('instance.local'), item.url]] as const)),
            [t('field.version'), <VersionOf {...props} />],
            [t('field.database'), item.database],
            [t('field.runtime'), item.runtime],
            [t('instance.limitMemory'), item.limit_memory],
            [t('instance.limitCpu'), item.limit_cpu],
            [t('instance.limitProcesses'), item.limit_processes],
            [t('instance.limitFiles'), item.limit_files],
            [t('instance.created'), <Time at={item.created} as="date" />],
            [t('instance.updated'), <Time at={item.updated} />],
            [t('instance.source'), item.source],
            ...(item.account === undefined
              ? []
              : ([[t('instance.account'), item.account || t('instance.noAccount')]] as const)),
            [t('instance.owner'), owner],
            [t('instance.email'), item.owner_email],
            [t('instance.phone'), item.phone],
            [t('instance.company'), item.company],
          ]}
        />
      </Panel>
      <MeasuredPanel {...props} />
      <FlagsPanel {...props} />
      <BackupPanel {...props} />
      <Panel title={t('instance.actions')} wide>
        <AllActions {...props} />
      </Panel>
    </div>
  )
}

/** What it should do, when it does something else. */
function StatusOf({ item }: TabProps) {
  const { status, observed } = item
  return (
    <>
      <StatusBadge observed={observed} />
      {isOtherwise(item) && (
        <span class="quiet"> {t(status === 'started' ? 'instance.wantedStarted' : 'instance.wantedStopped')}</span>
      )}
    </>
  )
}

function VersionOf({ item, ask }: TabProps) {
  const { isAllowed } = useActionTable()
  const { data } = useApi<{ readonly list: readonly WireVersion[] }>('versions')
  const isOld = needsUpgrade(item, new Map(data?.list.map(({ version, date }) => [version, date])))
  return (
    <span class="version">
      {item.version}{' '}
      <span class="quiet">
        (<Time at={item.version_date} as="date" />)
      </span>{' '}
      {isOld && <Badge tone="warn">{t('instance.upgradeThere')}</Badge>}
      {isOld && isAllowed('upgrade') && (
        <Button small onClick={() => ask('upgrade')}>
          {t('action.upgrade')}
        </Button>
      )}
    </span>
  )
}
