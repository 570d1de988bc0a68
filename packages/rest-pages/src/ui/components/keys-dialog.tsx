import { Dialog } from '@steward/page-kit'
import { t } from '../lib/i18n.js'

const keys = [
  ['Ctrl K', 'keys.palette'],
  ['/', 'keys.search'],
  ['n', 'keys.new'],
  ['j  k', 'keys.rows'],
  ['x', 'keys.select'],
  ['Ctrl S', 'keys.save'],
  ['?', 'keys.title'],
] as const

/** The keys that work everywhere outside of fields. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
