import { useEffect, useRef, useState } from 'preact/hooks'
import type { WireSetting } from '@steward/manager-core'
import { Button, EmptyState, Notice, Skeleton, Table, toast, type Column } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { settingColumns } from '../../components/setting-columns.js'
import { t } from '../../lib/i18n.js'
import { isRunning } from '../../lib/instance.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { SettingDialog } from './setting-dialog.js'
import type { TabProps } from './tab.js'

/** What settings are about, by the beginnings of their names; the first that fits. */
const groups = [
  ['access', /^SERVICE_(CONTEXT|URL|USER|PASSWORD|ADMIN_)/],
  ['database', /^SERVICE_(DATABASE|ORACLE|DOCUMENTS)/],
  ['limits', /^SERVICE_(TOMCAT|LIMIT_|PLACEMENT|REPLICAS|SLEEP)/],
  ['quality', /^SERVICE_(QUALITY|REMOTE_GIT)/],
  ['other', /^SERVICE_/],
  ['application', /^/],
] as const

export interface SettingsAnswer {
  readonly list: readonly WireSetting[]
  /** For changes: that nothing else has changed since. */
  readonly fingerprint: string
}

/** The settings of its file by what they are about, each with a button that changes it; secrets are never shown. */
export function SettingsOf({ item, ask }: TabProps) {
  const { name } = item
  const { isAllowed, rows } = useActionTable()
  const [all, setAll] = useState(false)
  /** Name of the one that is changed; empty: a new one of the application. */
  const [open, setOpen] = useState<string>()
  const [needsRestart, setNeedsRestart] = useState(false)
  /** Takes away what was said about the last change. */
  const saidLast = useRef<(() => void) | undefined>(undefined)
  useEffect(() => () => saidLast.current?.(), [])
  const { data, failure, reload } = useApi<SettingsAnswer>('setting-list', { name, all: true }, { keep: true })
  useEffect(() => setAll(false), [name])
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  const mayChange = isAllowed('setting-set')
  const restart = () =>
    ask('restart', {
      onDone() {
        setNeedsRestart(false)
        saidLast.current?.()
      },
    })
  const left = new Set(
    data.list.filter(({ value, hint, changeable }) => all || value !== null || hint || changeable === 'yes'),
  )
  const parts = groups
    .map(([group, names]) => {
      const own = [...left].filter((setting) => names.test(setting.name))
      for (const one of own) left.delete(one)
      return [group, own] as const
    })
    .filter(([, own]) => own.length > 0)
  const columns = [...settingColumns, ...(mayChange ? [changeColumn(setOpen)] : [])]
  const changed = data.list.find((one) => one.name === open)
  return (
    <>
      <div class="tab-bar">
        <p class="quiet">{t('settings.about')}</p>
        <label class="field field-check">
          <input type="checkbox" checked={all} onChange={({ currentTarget }) => setAll(currentTarget.checked)} />
          <span>{t('settings.all')}</span>
        </label>
        {mayChange && (
          <Button icon="add" onClick={() => setOpen('')}>
            {t('settings.add')}
          </Button>
        )}
      </div>
      {needsRestart && isRunning(item) && (
        <Notice
          tone="warn"
          title={t('settings.needsRestart')}
          action={isAllowed('restart') && <Button onClick={restart}>{t('settings.restartNow')}</Button>}
        />
      )}
      {parts.length === 0 && <EmptyState title={t('settings.none')} />}
      {parts.map(([group, own]) => (
        <section key={group} class="tab-parts">
          <h2>{t(`settings.${group}`)}</h2>
          <Table caption={t(`settings.${group}`)} columns={columns} rows={own} rowKey={(row) => row.name} />
        </section>
      ))}
      {open !== undefined && rows && (
        <SettingDialog
          instance={name}
          setting={changed}
          fingerprint={data.fingerprint}
          onClose={() => setOpen(undefined)}
          onSaved={({ effect }, message) => {
            setOpen(undefined)
            const isLater = effect === 'start' && isRunning(item)
            if (isLater) setNeedsRestart(true)
            saidLast.current?.()
            const action = { text: t('settings.restartNow'), onPress: restart }
            // It stays where the user is until there was a restart.
            const lasting = isLater && isAllowed('restart') ? { action, shownMs: Infinity } : {}
            saidLast.current = toast(message, lasting)
          }}
        />
      )}
    </>
  )
}

/** A button in the row of each that the user may change. */
function changeColumn(onOpen: (name: string) => void): Column<WireSetting> {
  return {
    id: 'change',
    title: t('settings.change'),
    titleHidden: true,
    align: 'end',
    onCard: 'corner',
    cell: ({ name, changeable }) =>
      changeable === 'yes' && (
        <Button small label={`${t('button.change')}: ${name}`} onClick={() => onOpen(name)}>
          {t('button.change')}
        </Button>
      ),
  }
}
