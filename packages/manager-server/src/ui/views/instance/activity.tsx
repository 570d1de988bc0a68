import { useRoute } from 'preact-iso'
import type { WireHistoryEntry } from '@steward/manager-core'
import { EmptyState, Skeleton } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { useWarned } from '../../lib/use-warned.js'
import { Feed } from '../activity/feed.js'
import { itemOfEntry } from '../activity/items.js'
import { Quality } from './quality.js'
import type { TabProps } from './tab.js'
import { Traffic } from './traffic.js'

/** Parts with the action that each shows the answer of. */
const parts = [
  ['activity', History, 'history-list'],
  ['traffic', Traffic, 'accesslogs'],
  ['quality', Quality, 'quality-report'],
] as const

/** What was done to it, what it was asked for, and how good its code is. */
export function ActivityTab(props: TabProps) {
  const { tab } = useRoute().params
  const { isAllowed } = useActionTable()
  const shown = parts.filter(([, , action]) => isAllowed(action))
  const [id, Part] = shown.find(([one]) => one === tab) ?? shown[0] ?? parts[0]
  return (
    <div class="tab-parts">
      {shown.length > 1 && (
        <nav class="segment-links" aria-label={t('instance.activity')}>
          {shown.map(([one]) => (
            <a
              key={one}
              href={pathTo('instances', props.item.name, one)}
              aria-current={one === id ? 'page' : undefined}
            >
              {t(one === 'activity' ? 'instance.history' : `instance.${one}`)}
            </a>
          ))}
        </nav>
      )}
      <Part {...props} />
    </div>
  )
}

/** What was done to it, the newest first. */
function History({ item: { name } }: TabProps) {
  const { data, failure, reload } = useApi<{ readonly list: readonly WireHistoryEntry[] }>(
    'history-list',
    { name, limit: 200 },
    { refreshMs: 10_000 },
  )
  const warned = useWarned(name)
  if (failure && !data) return <FailureNotice failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  if (data.list.length === 0) return <EmptyState title={t('history.none')} />
  return <Feed items={data.list.toReversed().map(itemOfEntry)} warned={warned} />
}
