import { useMemo } from 'preact/hooks'
import type { ScheduledJob } from '@steward/manager-core'
import type { Column } from '@steward/page-kit'
import { Command } from '../../components/command.js'
import { hasText, t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'
import { ListPanel } from './list-panel.js'

/** What runs every night and after a reboot. The crontab and timers are changed on the server. */
export function Schedules() {
  const columns = useMemo(columnsOf, [])
  return (
    <ListPanel
      title={t('manager.schedule')}
      columns={columns}
      rowKey={({ name, by }) => `${name} ${by}`}
      answer={useApi<{ readonly list: readonly ScheduledJob[] }>('schedules')}
      empty={
        <>
          <p class="quiet">{t('manager.noSchedule')}</p>
          <Command text="manager schedule install" />
        </>
      }
    />
  )
}

function columnsOf(): readonly Column<ScheduledJob>[] {
  return [
    {
      id: 'name',
      title: t('manager.job'),
      onCard: 'title',
      cell: ({ name }) => (
        <span class="cell-lines">
          <strong>{name}</strong>
          <span class="quiet">{aboutOf(name)}</span>
        </span>
      ),
    },
    {
      id: 'time',
      title: t('manager.time'),
      cell: ({ time }) => (time === 'boot' ? t('manager.afterBoot') : <span class="nowrap">{time}</span>),
    },
    { id: 'by', title: t('manager.by'), cell: ({ by }) => by },
  ]
}

/** A later manager may schedule other jobs. */
function aboutOf(name: string): string {
  const key = `manager.job.${name}`
  return hasText(key) ? t(key) : ''
}
