import { FailureNotice } from '../../components/failure-notice.js'
import { pathTo } from '../../lib/addresses.js'
import { ApiFailure } from '../../lib/api.js'
import { t } from '../../lib/i18n.js'
import type { Operation } from '../../lib/operation.js'
import { useApi } from '../../lib/use-api.js'
import { AttentionActions } from '../operations/attention-actions.js'
import type { TabProps } from './tab.js'

/** An operation could be neither finished nor rolled back: why, and the ways out. */
export function AttentionNotice({ item: { operation: id, name }, ask }: Pick<TabProps, 'item' | 'ask'>) {
  const { data } = useApi<{ readonly item: Operation }>('operation', { id })
  const operation = data?.item
  if (operation?.id !== id || operation.state !== 'attention') return null
  const { result, message, title } = operation
  const attention = t('instances.attention')
  const short = result?.title
  return (
    <FailureNotice
      failure={
        new ApiFailure(500, {
          ...result,
          message,
          title: short === undefined ? attention : `${attention}: ${short}`,
          ending: result?.ending ?? message,
          help: t('operations.attentionText'),
          command: undefined,
        })
      }
    >
      <AttentionActions operation={id} instance={name} ask={ask} />
      <p>
        <a href={pathTo('activity', id)} lang="en">
          {title}
        </a>
      </p>
    </FailureNotice>
  )
}
