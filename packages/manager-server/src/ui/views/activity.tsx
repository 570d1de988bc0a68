import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import type { WireHistoryEntry } from '@steward/manager-core'
import { Button, Choice, EmptyState, Menu, Search, Skeleton, Toolbar, View } from '@steward/page-kit'
import { FailureNotice } from '../components/failure-notice.js'
import { pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'
import { hasEnded, type Operation } from '../lib/operation.js'
import { useActionTable } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'
import { useWarned } from '../lib/use-warned.js'
import { filterActivity, filtersOf, itemOfEntry, itemOfRunning, type Filters, type Item } from './activity/items.js'
import { Feed, placeText, resultText } from './activity/feed.js'
import { useVerify } from './activity/verify.js'

/** How many more are loaded in one step. */
const page = 200
const most = 100_000

const choices = [
  ['who', t('activity.who'), t('activity.anyone'), ({ who }: Item) => who, (one: string) => one],
  [
    'instance',
    t('activity.instance'),
    t('activity.anyInstance'),
    ({ instance }: Item) => instance,
    (one: string) => one,
  ],
  ['result', t('history.result'), t('history.anyResult'), ({ result }: Item) => result, resultText],
  ['from', t('activity.from'), t('activity.anywhere'), ({ surface }: Item) => surface, placeText],
] as const

/** What is done and was done, by whom, from where, and how it ended; the newest first. The filters are in the address. */
export function Activity() {
  const { query, route } = useLocation()
  const { isAllowed } = useActionTable()
  const [limit, setLimit] = useState(page)
  const verify = useVerify()
  const warned = useWarned()
  const history = useApi<{ list: readonly WireHistoryEntry[] }>(
    'history-list',
    { limit },
    { keep: true, refreshMs: 10_000 },
  )
  const operations = useApi<{ list: readonly Operation[] }>('operations', { limit: 50 }, { refreshMs: 3000 })
  const filters = filtersOf(query)
  const running = operations.data?.list.filter((one) => !hasEnded(one)).map(itemOfRunning) ?? []
  const all = [...running, ...(history.data?.list.toReversed().map(itemOfEntry) ?? [])]
  const shown = filterActivity(all, filters)
  const failure = history.failure ?? operations.failure
  const show = (next: Partial<Filters>) => {
    const wanted = new URLSearchParams(Object.entries({ ...filters, ...next }).filter(([, value]) => value !== ''))
    route(`${pathTo('activity')}${wanted.size > 0 ? `?${wanted}` : ''}`, true)
  }
  const reload = () => {
    history.reload()
    operations.reload()
  }
  return (
    <View
      title={t('nav.activity')}
      aside={verify.result}
      actions={
        <Menu
          kind="plain"
          label={t('activity.more')}
          groups={[
            [
              { id: 'refresh', label: t('button.refresh'), icon: 'refresh', onSelect: reload },
              ...(isAllowed('history-verify')
                ? [{ id: 'verify', label: t('activity.verify'), icon: 'shield' as const, onSelect: verify.start }]
                : []),
            ],
          ]}
        />
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      <Toolbar>
        <Search label={t('activity.search')} value={filters.q} onSearch={(q) => show({ q })} />
        {choices.map(([key, name, any, valueOf, textOf]) => {
          const values = [...new Set(all.map(valueOf))].filter((one) => one !== '').toSorted()
          if (values.length < 2 && filters[key] === '') return null
          return (
            <Choice
              key={key}
              name={name}
              any={any}
              value={filters[key]}
              values={values.map((one) => [one, textOf(one)])}
              onChoose={(one) => show({ [key]: one })}
            />
          )
        })}
      </Toolbar>
      {!history.data && !failure && <Skeleton lines={8} />}
      {history.data && shown.length === 0 && <EmptyState title={t('history.none')} icon="search" />}
      <Feed items={shown} warned={warned} />
      {history.data && history.data.list.length >= limit && limit < most && (
        <p class="feed-more">
          <Button busy={history.loading} onClick={() => setLimit(Math.min(limit * 5, most))}>
            {t('history.more')}
          </Button>
        </p>
      )}
    </View>
  )
}
