import { useLocation, useRoute } from 'preact-iso'
import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { ButtonLink, EmptyState, Skeleton, Tabs, View } from '@steward/page-kit'
import { ActionDialog, type ActionDialogProps } from '../components/action-dialog.js'
import { StatusBadge } from '../components/status-badge.js'
import { FailureNotice } from '../components/failure-notice.js'
import { pathTo } from '../lib/addresses.js'
import type { ApiFailure } from '../lib/api.js'
import { t } from '../lib/i18n.js'
import type { Instance as Item } from '../lib/instance.js'
import { useActionTable } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'
import { AccessTab } from './instance/access.js'
import { BackupsTab } from './instance/backups.js'
import { BusyNotice } from './instance/busy-notice.js'
import { DatabaseTab } from './instance/database.js'
import { HealthTab } from './instance/health.js'
import { HistoryTab } from './instance/history.js'
import { LogsTab } from './instance/logs.js'
import { MainActions } from './instance/main-actions.js'
import { OverviewTab } from './instance/overview.js'
import { QualityTab } from './instance/quality.js'
import { SettingsTab } from './instance/settings.js'
import type { Ask, TabProps, Use } from './instance/tab.js'

/** What each tab shows, and the action that it shows the answer of. */
const tabs = [
  ['overview', OverviewTab, 'get'],
  ['settings', SettingsTab, 'config'],
  ['database', DatabaseTab, 'dbinfo'],
  ['backups', BackupsTab, 'backups-list'],
  ['logs', LogsTab, 'logs'],
  ['history', HistoryTab, 'history-list'],
  ['access', AccessTab, 'accesslogs'],
  ['health', HealthTab, 'health'],
  ['quality', QualityTab, 'quality-report'],
] as const satisfies readonly (readonly [id: string, component: ComponentType<TabProps>, action: string])[]

/** Not specified; chosen as fast as somebody who waits for a state looks again. */
const refreshMs = 4000

/** One instance: all about it, and all that can be done with it. */
export function Instance() {
  const { params } = useRoute()
  const { route } = useLocation()
  const { name = '', tab = 'overview' } = params
  const { data, failure, reload } = useApi<{ readonly item: Item }>('get', { name }, { refreshMs })
  const { isAllowed } = useActionTable()
  const [asked, setAsked] = useState<Asked>()
  const [moved, setMoved] = useState<string>()
  const back = <a href={pathTo('')}>← {t('nav.instances')}</a>
  if (!data || (failure?.status === 404 && !asked))
    return (
      <View title={name} above={back}>
        {failure ? <Missing name={name} failure={failure} reload={reload} /> : <Skeleton lines={8} />}
      </View>
    )

  const { item } = data
  const ask: Ask = (action, use = {}) => setAsked({ action, ...use })
  const shown = tabs.filter(([, , action]) => isAllowed(action))
  const [id, Tab] = shown.find(([one]) => one === tab) ?? tabs[0]
  return (
    <View
      title={item.name}
      above={back}
      aside={<StatusBadge observed={item.observed} />}
      actions={<MainActions item={item} ask={ask} />}
    >
      <BusyNotice item={item} ask={ask} />
      <Tabs
        label={item.name}
        tabs={shown.map(([one]) => ({ id: one, label: t(`instance.${one}`) }))}
        selected={id}
        onSelect={(one) => route(pathTo('instances', name, ...(one === 'overview' ? [] : [one])), true)}
      >
        <Tab key={`${id} ${item.id}`} item={item} ask={ask} reload={reload} />
      </Tabs>
      {asked && (
        <ActionDialog
          instances={[item.name]}
          {...asked}
          onClose={() => {
            setAsked(undefined)
            if (moved !== undefined) route(moved, true)
          }}
          onDone={(answer) => {
            asked.onDone?.(answer)
            setMoved(addressAfter(asked.action, answer))
          }}
        />
      )}
    </View>
  )
}

type Asked = Pick<ActionDialogProps, 'action'> & Use

/** Where what is shown is after an action; undefined: here. */
function addressAfter(action: string, answer: Parameters<NonNullable<ActionDialogProps['onDone']>>[0]) {
  if (answer === undefined || answer.code !== undefined) return undefined
  if (action === 'delete') return pathTo('')
  const { name } = (answer.item ?? {}) as { readonly name?: string }
  return action === 'rename' && name !== undefined ? pathTo('instances', name) : undefined
}

interface MissingProps {
  readonly name: string
  readonly failure: ApiFailure
  readonly reload: () => void
}

/** It may have been deleted, renamed, or never there. */
function Missing({ name, failure, reload }: MissingProps) {
  if (failure.status !== 404) return <FailureNotice failure={failure} onRetry={reload} />
  return (
    <EmptyState title={t('instance.missing', { name })}>
      <p>{t('instance.missingText')}</p>
      <ButtonLink href={pathTo('')}>{t('nav.instances')}</ButtonLink>
    </EmptyState>
  )
}
