import { EmptyState } from '@steward/page-kit'
import { t } from '../lib/i18n.js'
import { Command } from './command.js'

/** In place of a view that a setting of the manager turns on. */
export function FeatureOff({ title, setting }: { readonly title: string; readonly setting: string }) {
  return (
    <EmptyState title={title} icon="settings">
      <p>{t('off.text')}</p>
      <Command text={`export ${setting}`} />
    </EmptyState>
  )
}
