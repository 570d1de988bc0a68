import { Badge, Notice } from '@steward/page-kit'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import type { Operation } from '../../lib/operation.js'
import { useApi } from '../../lib/use-api.js'
import { AttentionActions } from '../operations/attention-actions.js'
import { operationTone } from '../operations/operation-badge.js'
import type { TabProps } from './tab.js'

/** What changes the instance now, or needs attention. */
export function BusyNotice({ item: { operation: id, name }, ask }: Pick<TabProps, 'item' | 'ask'>) {
  const { data } = useApi<{ readonly item: Operation }>(
    id === '' ? undefined : 'operation',
    { id },
    { ...(id !== '' && { refreshMs: 2000 }) },
  )
  const operation = data?.item
  if (id === '' || operation?.id !== id) return null
  const { state, title, message } = operation
  // The link says it already.
  const said = `${title}: `
  const what = (
    <span class="notice-text">
      <a href={pathTo('operations', id)} lang="en">
        {title}
      </a>
      {message !== '' && <span lang="en">{message.startsWith(said) ? message.slice(said.length) : message}</span>}
    </span>
  )
  if (state === 'attention')
    return (
      <Notice tone="bad" title={t('instances.attention')}>
        {what}
        <p>{t('operations.attentionText')}</p>
        <AttentionActions operation={id} instance={name} ask={ask} />
      </Notice>
    )
  return (
    <p class="notice" role="status">
      <Badge tone={operationTone[state]}>{t(`state.${state}`)}</Badge>
      {what}
    </p>
  )
}
