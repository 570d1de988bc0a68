import { Badge } from '@steward/page-kit'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import type { Instance } from '../../lib/instance.js'
import type { Operation } from '../../lib/operation.js'
import { useApi } from '../../lib/use-api.js'
import { operationTone } from '../operations/operation-badge.js'

/** What changes the instance now, or needs attention. */
export function BusyNotice({ item: { operation: id } }: { readonly item: Instance }) {
  const { data } = useApi<{ readonly item: Operation }>(
    id === '' ? undefined : 'operation',
    { id },
    { ...(id !== '' && { refreshMs: 2000 }) },
  )
  const operation = data?.item
  if (id === '' || operation?.id !== id) return null
  const { state, title, message } = operation
  return (
    <p class="notice" role="status">
      <Badge tone={operationTone[state]}>{t(`state.${state}`)}</Badge>
      <span class="notice-text">
        <a href={pathTo('operations', id)} lang="en">
          {title}
        </a>
        {message !== '' && <span lang="en">{message}</span>}
      </span>
    </p>
  )
}
