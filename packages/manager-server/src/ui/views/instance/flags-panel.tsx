import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { toast } from '@steward/page-kit'
import { Panel } from '../../components/panel.js'
import { Switch } from '../../components/switch.js'
import { api, type ApiFailure } from '../../lib/api.js'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { aboutKey, useUnscheduled } from '../../lib/use-schedule.js'
import type { TabProps } from './tab.js'

/** Flags with the actions that set and clear them. */
const flags = [
  ['protected', 'protect', 'unprotect'],
  ['auto_update', 'autoupdate', 'noautoupdate'],
  ['auto_save', 'autosave', 'noautosave'],
] as const

/** Flags as switches; the children are more of them. */
export function FlagsPanel({ item, reload, children }: TabProps & { readonly children?: ComponentChildren }) {
  const { isAllowed } = useActionTable()
  const unscheduled = useUnscheduled()
  const [changing, setChanging] = useState<string>()
  const change = async (flag: string, action: string) => {
    setChanging(flag)
    try {
      const { message } = await api(action, { name: item.name })
      toast(message)
    } catch (failure) {
      toast((failure as ApiFailure).message, { tone: 'bad' })
    }
    setChanging(undefined)
    reload()
  }
  return (
    <Panel title={t('instance.flags')}>
      <div>
        {flags.map(([flag, set, clear]) => (
          <Switch
            key={flag}
            label={t(`field.${flag}`)}
            about={t(aboutKey(flag, unscheduled))}
            on={item[flag] === 'yes'}
            disabled={changing !== undefined || !isAllowed(set)}
            onChange={(on) => void change(flag, on ? set : clear)}
          />
        ))}
        {children}
      </div>
    </Panel>
  )
}
