import { ButtonLink } from '@steward/page-kit'
import { apiAddress, pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { hasTerminal, useActionTable, useSession } from '../../lib/session.js'
import type { TabProps } from './tab.js'

const parts = ['all', 'webapp', 'data', 'logs'] as const

/** What it can be had as, one file each, and its terminal; to who may. */
export function Elsewhere({ item: { name } }: Pick<TabProps, 'item'>) {
  const { isAllowed } = useActionTable()
  const session = useSession()
  const canDownload = isAllowed('download') && session?.features.download === true
  const canOpen = session !== undefined && hasTerminal(session)
  if (!canOpen && !canDownload) return null
  return (
    <div class="action-group">
      <h3>{t('instance.elsewhere')}</h3>
      <div class="part-buttons">
        {canDownload &&
          parts.map((param) => (
            <ButtonLink key={param} icon="save" href={apiAddress('download', { name, param })} download target="_blank">
              {t(`instance.download.${param}`)}
            </ButtonLink>
          ))}
        {canOpen && <ButtonLink href={`${pathTo('terminal')}?instance=${name}`}>{t('nav.terminal')}</ButtonLink>}
      </div>
    </div>
  )
}
