import { KeyList } from '@steward/page-kit'
import { t } from '../lib/i18n.js'

/** The keys that work everywhere outside of fields. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const keys = [
    ['Ctrl K', t('keys.palette')],
    ['/', t('keys.search')],
    ['n', t('keys.new')],
    ['j  k', t('keys.rows')],
    ['x', t('keys.select')],
    ['Ctrl S', t('keys.save')],
    ['?', t('keys.title')],
  ] as const
  return <KeyList title={t('keys.title')} keys={keys} onClose={onClose} />
}
