import { t } from '../lib/i18n.js'

export function NotFound() {
  return <p>{t('page.notFound')}</p>
}
