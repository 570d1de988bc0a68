import { ButtonLink, EmptyState, View } from '@steward/page-kit'
import { t } from '../lib/i18n.js'
import { pathTo } from '../lib/settings.js'

/** Also for what the user may not see: the service does not distinguish the two. */
export function NotFound() {
  return (
    <View title={t('notFound.title')}>
      <EmptyState title={t('notFound.text')} icon="alert">
        <ButtonLink kind="primary" href={pathTo('')}>
          {t('notFound.home')}
        </ButtonLink>
      </EmptyState>
    </View>
  )
}
