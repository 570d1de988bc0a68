import { ButtonLink } from '../components/button.js'
import { EmptyState } from '../components/empty-state.js'
import { View } from '../components/view.js'
import { pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'

export function NotFound() {
  return (
    <View title={t('page.notFound')}>
      <EmptyState title={t('page.notFoundText')} icon="search">
        <ButtonLink kind="primary" href={pathTo('')}>
          {t('page.toInstances')}
        </ButtonLink>
      </EmptyState>
    </View>
  )
}
