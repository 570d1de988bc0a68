import { useLocation, useRoute } from 'preact-iso'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ButtonLink, Confirm, EmptyState, Skeleton, Tabs, View } from '@steward/page-kit'
import { ActionDialog, type ActionDialogProps } from '../components/action-dialog.js'
import { titleOf } from '../components/action-form.js'
import { OtherStrip, RunStrip, type RunStripProps } from '../components/run-strip.js'
import { StatusBadge } from '../components/status-badge.js'
import { FailureNotice } from '../components/failure-notice.js'
import { isSimple, valuesOf } from '../lib/action-input.js'
import { pathTo } from '../lib/addresses.js'
import type { ApiFailure } from '../lib/api.js'
import { t } from '../lib/i18n.js'
import { isRunning, needsAttention, type Instance as Item } from '../lib/instance.js'
import { useActionTable } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'
import { useHealth } from '../lib/use-health.js'
import { useTargets } from '../lib/use-targets.js'
import '../styles/instance.css'
import { ActivityTab } from './instance/activity.js'
import { AttentionNotice } from './instance/attention-notice.js'
import { BackupsTab } from './instance/backups.js'
import { ConfigurationTab } from './instance/configuration.js'
import { DataTab } from './instance/data.js'
import { Address, HeaderActions, Summary } from './instance/header.js'
import { LogsTab } from './instance/logs.js'
import { OverviewTab } from './instance/overview.js'
import type { ActionUse, Ask, TabProps } from './instance/tab.js'

/** What each tab shows, and actions of which one is needed to show something. */
const tabs = [
  ['overview', OverviewTab, ['get']],
  ['logs', LogsTab, ['logs']],
  ['backups', BackupsTab, ['backups-list']],
  ['data', DataTab, ['dbinfo']],
  ['configuration', ConfigurationTab, ['setting-list']],
  ['activity', ActivityTab, ['history-list', 'accesslogs', 'quality-report']],
] as const satisfies readonly (readonly [id: string, component: ComponentType<TabProps>, actions: readonly string[]])[]

/** Parts of a tab that have an address of their own. */
const tabOfPart: Readonly<Record<string, string>> = { traffic: 'activity', quality: 'activity' }

/** Where what had these addresses is now. */
const moved: Readonly<Record<string, string>> = {
  health: 'overview',
  database: 'data',
  settings: 'configuration',
  history: 'activity',
  access: 'traffic',
}

/** Not specified; chosen as fast as a user who waits for a state looks again. */
const refreshMs = 4000

/** One instance: all about it, and all that can be done with it. */
export function Instance() {
  const { params } = useRoute()
  const { route } = useLocation()
  const { name = '', tab = 'overview' } = params
  const { data, failure, reload } = useApi<{ readonly item: Item }>('get', { name }, { refreshMs })
  const health = useHealth(data?.item)
  const { isAllowed, rows } = useActionTable()
  const targets = useTargets()
  const [asked, setAsked] = useState<Asked>()
  const [confirming, setConfirming] = useState<Asked>()
  const [running, setRunning] = useState<Running>()
  const next = useRef<string | undefined>(undefined)
  const partAddress = (part: string) => pathTo('instances', name, ...(part === 'overview' ? [] : [part]))
  const now = moved[tab]
  useEffect(() => {
    if (now !== undefined) route(partAddress(now), true)
  }, [now, name])
  const back = <a href={pathTo('')}>← {t('nav.instances')}</a>
  if (!data || (failure?.status === 404 && !asked))
    return (
      <View title={name} above={back}>
        {failure ? <Missing name={name} failure={failure} reload={reload} /> : <Skeleton lines={8} />}
      </View>
    )

  const { item } = data
  const begin = ({ action, onDone, ...use }: Asked) => {
    const row = rows?.get(action)
    if (!row?.allowed) return
    const values = valuesOf(row, { ...use, instances: [item.name] })
    setRunning((before) => ({ turn: (before?.turn ?? 0) + 1, action: row, values, onDone }))
  }
  const ask: Ask = (action, use = {}) => {
    const row = rows?.get(action)
    // Where there is nothing to copy it to, nothing needs to be asked.
    const all: Asked = { ...use, action, ...(action === 'save' && targets?.length === 0 && { fields: [] }) }
    if (!row?.mutating || !isSimple(row, { ...all, instances: [item.name] })) return setAsked(all)
    if (action === 'restart' && isRunning(item)) return setConfirming(all)
    begin(all)
  }
  const shown = tabs.filter(([, , actions]) => actions.some(isAllowed))
  const [id, Tab] = shown.find(([one]) => one === (tabOfPart[tab] ?? now ?? tab)) ?? tabs[0]
  return (
    <View
      title={item.name}
      above={back}
      aside={
        <>
          <StatusBadge observed={item.observed} />
          <Summary item={item} health={health} />
        </>
      }
      actions={<HeaderActions item={item} ask={ask} />}
    >
      <Address item={item} />
      {needsAttention(item) && <AttentionNotice item={item} ask={ask} />}
      {running ? (
        <RunStrip key={running.turn} {...running} onClose={() => setRunning(undefined)} />
      ) : (
        item.operation !== '' && !needsAttention(item) && <OtherStrip key={item.operation} id={item.operation} />
      )}
      <Tabs
        label={item.name}
        tabs={shown.map(([one]) => ({ id: one, label: t(`instance.${one}`) }))}
        selected={id}
        onSelect={(one) => route(partAddress(one))}
      >
        <Tab key={`${id} ${item.id}`} item={item} ask={ask} health={health} reload={reload} />
      </Tabs>
      {confirming && (
        <Confirm
          open
          title={t('instance.restartNow', { name: item.name })}
          action={titleOf('restart') ?? ''}
          onClose={() => setConfirming(undefined)}
          onConfirm={() => {
            setConfirming(undefined)
            begin(confirming)
          }}
        >
          <p>{t('instance.restartText', { name: item.name })}</p>
        </Confirm>
      )}
      {asked && (
        <ActionDialog
          instances={[item.name]}
          {...asked}
          onClose={() => {
            setAsked(undefined)
            if (next.current !== undefined) route(next.current, true)
          }}
          onDone={(answer) => {
            asked.onDone?.(answer)
            next.current = addressAfter(asked.action, answer)
          }}
        />
      )}
    </View>
  )
}

type Asked = Pick<ActionDialogProps, 'action'> & ActionUse

interface Running extends Pick<RunStripProps, 'action' | 'values' | 'onDone'> {
  /** Each has a strip of its own. */
  readonly turn: number
}

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
