import { useState } from 'preact/hooks'
import type { SettingDescription } from '@steward/manager-core'
import { settingColumns } from '../../components/setting-columns.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'

import { ListPanel } from './list-panel.js'

/** The settings of the manager that are set or have a hint, or all that have a value; secrets are never shown. */
export function ManagerSettings() {
  const [showsDefaults, setShowsDefaults] = useState(false)
  const answer = useApi<{ readonly list: readonly SettingDescription[]; readonly home: string }>(
    'config',
    { changed: !showsDefaults || undefined },
    { keep: true },
  )
  return (
    <ListPanel
      title={t('manager.settings')}
      columns={settingColumns}
      rowKey={({ name }) => name}
      answer={answer}
      empty={<p class="quiet">{t('settings.none')}</p>}
    >
      {answer.data && <p class="quiet">{t('manager.settingsAbout', { file: `${answer.data.home}/config.sh` })}</p>}
      <label class="field field-check">
        <input
          type="checkbox"
          checked={showsDefaults}
          onChange={({ currentTarget }) => setShowsDefaults(currentTarget.checked)}
        />
        <span>{t('manager.defaults')}</span>
      </label>
    </ListPanel>
  )
}
