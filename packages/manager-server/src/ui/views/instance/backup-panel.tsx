import type { WireBackup } from '@steward/manager-core'
import { Badge, Button, formatBytes, Skeleton, Time } from '@steward/page-kit'
import { Facts, Panel } from '../../components/panel.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import type { TabProps } from './tab.js'

/** The newest backup, and whether it was proved. */
export function BackupPanel({ item, ask }: TabProps) {
  const { isAllowed } = useActionTable()
  const { data } = useApi<{ readonly list: readonly WireBackup[] }>(
    isAllowed('backups-list') ? 'backups-list' : undefined,
    { name: item.name },
    { refreshMs: 30_000 },
  )
  const [newest] = data?.list ?? []
  const save = isAllowed('save') && (
    <Button small icon="save" onClick={() => ask('save')}>
      {t('action.save')}
    </Button>
  )
  return (
    <Panel title={t('instance.lastBackup')} actions={save}>
      {!data ? (
        <Skeleton lines={3} />
      ) : newest ? (
        <>
          <Facts
            facts={[
              [t('backup.saved'), <Time at={newest.saved} />],
              [t('backup.size'), formatBytes(newest.size)],
              [
                t('backup.state'),
                newest.damage === '' ? (
                  <Badge tone="good">{t('backup.good')}</Badge>
                ) : (
                  <Badge tone="bad">{t('backup.damaged')}</Badge>
                ),
              ],
              [t('backup.proved'), <Time at={item.proved} />],
              [t('backup.copies'), newest.copies],
            ]}
          />
          <p>
            <a href={pathTo('instances', item.name, 'backups')}>{t('backup.all', { count: data.list.length })}</a>
          </p>
        </>
      ) : (
        <p class="quiet">{t('backup.none')}</p>
      )}
    </Panel>
  )
}
