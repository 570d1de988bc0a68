import { ButtonLink, EmptyState, View } from '@steward/page-kit'
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
