import { useLocation } from 'preact-iso'
import { useMemo, useState } from 'preact/hooks'
import { Badge, type Tone } from '../components/badge.js'
import { Button, ButtonLink } from '../components/button.js'
import { EmptyState } from '../components/empty-state.js'
import { FailureNotice } from '../components/failure-notice.js'
import { Icon } from '../components/icon.js'
import { Skeleton } from '../components/skeleton.js'
import { Table, type Column } from '../components/table.js'
import { Time } from '../components/time.js'
import { View } from '../components/view.js'
import { pathTo } from '../lib/addresses.js'
import { formatDuration } from '../lib/format.js'
import { hasText, t } from '../lib/i18n.js'
import { useActionTable } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'
import { useRun } from '../lib/use-run.js'
import '../styles/history.css'

/** What was done, as `history list` answers it. */
export interface HistoryRow {
  readonly id: number
  readonly at: string
  readonly actor: string
  /** IP address; empty: the machine of the manager. */
  readonly address: string
  readonly surface: string
  readonly action: string
  readonly instance: string
  readonly result: string
  readonly message: string
  readonly operation: string
  /** In ms. */
  readonly duration: number
  readonly parameters: Readonly<Record<string, unknown>>
}

const tones: Readonly<Record<string, Tone>> = {
  ok: 'good',
  failed: 'bad',
  'rolled-back': 'warn',
  attention: 'bad',
  refused: 'warn',
}

/** So many more at a time. */
const page = 200
const most = 100_000

/** What was done, by whom, from where, and how it ended; the newest first. What is looked for is in the address. */
export function History() {
  const { query, route } = useLocation()
  const { q = '', result = '' } = query
  const [limit, setLimit] = useState(page)
  const { data, failure, reload } = useApi<{ list: readonly HistoryRow[] }>('history-list', { limit })
  const columns = useMemo(() => columnsOfHistory(), [])
  const rows = useMemo(() => filterHistory(data?.list.toReversed() ?? [], q, result), [data, q, result])
  const show = (next: Readonly<Record<string, string>>) => {
    const wanted = new URLSearchParams(Object.entries({ q, result, ...next }).filter(([, value]) => value !== ''))
    route(`${pathTo('history')}${wanted.size > 0 ? `?${wanted}` : ''}`, true)
  }
  return (
    <View
      title={t('nav.history')}
      actions={
        <>
          <VerifyHistory />
          <Button icon="refresh" onClick={reload}>
            {t('button.refresh')}
          </Button>
        </>
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      <div class="toolbar" role="search" aria-label={t('instances.filters')}>
        <label class="search">
          <span class="hidden">{t('history.search')}</span>
          <Icon name="search" />
          <input
            type="search"
            value={q}
            placeholder={t('history.search')}
            maxLength={200}
            spellcheck={false}
            onInput={(event) => show({ q: event.currentTarget.value })}
          />
        </label>
        <select
          aria-label={t('history.result')}
          class={result === '' ? '' : 'active'}
          value={result}
          onChange={(event) => show({ result: event.currentTarget.value })}
        >
          <option value="">{t('history.anyResult')}</option>
          {Object.keys(tones).map((one) => (
            <option key={one} value={one}>
              {resultText(one)}
            </option>
          ))}
        </select>
      </div>
      {!data && !failure && <Skeleton lines={8} />}
      {data && rows.length === 0 && <EmptyState title={t('history.none')} icon="search" />}
      {rows.length > 0 && (
        <Table caption={t('nav.history')} columns={columns} rows={rows} rowKey={({ id }) => String(id)} />
      )}
      {data && data.list.length >= limit && limit < most && (
        <p class="history-more">
          <Button onClick={() => setLimit(Math.min(limit * 5, most))}>{t('history.more')}</Button>
        </p>
      )}
    </View>
  )
}

/** Entries in which all words are, and that ended so. */
export function filterHistory(rows: readonly HistoryRow[], q: string, result: string): readonly HistoryRow[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter((row) => {
    if (result !== '' && row.result !== result) return false
    const text = [row.action, row.instance, row.actor, row.address, row.message, row.operation].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

export function columnsOfHistory(): readonly Column<HistoryRow>[] {
  return [
    { id: 'at', title: t('history.at'), cell: ({ at }) => <Time at={at} as="date" /> },
    { id: 'action', title: t('history.action'), cell: (row) => <Action row={row} />, onCard: 'title' },
    { id: 'result', title: t('history.result'), cell: ({ result }) => <Result result={result} />, onCard: 'corner' },
    { id: 'actor', title: t('history.actor'), cell: (row) => <Actor row={row} /> },
    {
      id: 'duration',
      title: t('history.duration'),
      cell: ({ duration }) => formatDuration(duration),
      align: 'end',
      wideOnly: true,
      onCard: 'hidden',
    },
    { id: 'message', title: t('history.message'), cell: (row) => <Message row={row} /> },
  ]
}

function resultText(result: string): string {
  const key = `history.${result}`
  return hasText(key) ? t(key) : result
}

function Result({ result }: { readonly result: string }) {
  return <Badge tone={tones[result] ?? 'neutral'}>{resultText(result)}</Badge>
}

function Action({ row: { action, instance } }: { readonly row: HistoryRow }) {
  const key = `action.${action.replaceAll(' ', '-')}`
  return (
    <span class="done">
      <strong>{hasText(key) ? t(key) : action}</strong>
      {instance !== '' && <a href={pathTo('instances', instance)}>{instance}</a>}
    </span>
  )
}

function Actor({ row: { actor, address, surface } }: { readonly row: HistoryRow }) {
  const key = `history.by.${surface}`
  return (
    <span class="done">
      <span>{actor}</span>
      <span class="quiet">{[hasText(key) ? t(key) : surface, address].filter((text) => text !== '').join(' · ')}</span>
    </span>
  )
}

/** The whole of it is behind its beginning: what it said, what it was asked with, and its operation. */
function Message({ row: { message, parameters, operation } }: { readonly row: HistoryRow }) {
  const asked = Object.entries(parameters).filter(([, value]) => value !== null && value !== '')
  return (
    <details class="said">
      <summary>
        <span class="said-short" lang="en">
          {message.split('\n')[0] || t('history.details')}
        </span>
      </summary>
      <pre lang="en" tabIndex={0}>
        {message}
        {asked.map(([name, value]) => `\n${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)}
      </pre>
      {operation !== '' && (
        <ButtonLink small href={pathTo('operations', operation)}>
          {t('run.page')}
        </ButtonLink>
      )}
    </details>
  )
}

/** Whether the chain of the history is whole. */
function VerifyHistory() {
  const { rows } = useActionTable()
  const row = rows?.get('history-verify')
  return row?.allowed ? <VerifyButton row={row} /> : null
}

function VerifyButton({ row }: { readonly row: Parameters<typeof useRun>[0] }) {
  const { state, start, answer, failure, isOver } = useRun(row)
  const isWhole = answer?.status === 0
  return (
    <>
      <span role="status" lang={answer || failure ? 'en' : undefined} class="verified">
        {isOver && (
          <Badge tone={isWhole ? 'good' : 'bad'}>
            {isWhole ? t('history.whole') : (failure?.message ?? answer?.message.split('\n')[0])}
          </Badge>
        )}
      </span>
      <Button icon="shield" busy={state === 'asking'} onClick={() => start({})}>
        {t('history.verify')}
      </Button>
    </>
  )
}
