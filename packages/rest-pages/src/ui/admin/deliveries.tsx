import {
  Badge,
  Button,
  Choice,
  EmptyState,
  formatRelative,
  Skeleton,
  Table,
  Time,
  toast,
  type Column,
  type Tone,
} from '@steward/page-kit'
import type { AnyRecord } from '@steward/rest-client'
import { useState } from 'preact/hooks'
import { messageOf, Problem } from '../components/problem.js'
import { client } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import type { SectionProps } from './admin.js'
import { eventName, hasText, t } from './i18n.js'
import { useReload, utc } from './utc.js'

const pageSize = 50
const tones: Readonly<Record<string, Tone>> = { done: 'good', pending: 'busy', failed: 'bad', skipped: 'neutral' }
const statuses = ['pending', 'done', 'failed', 'skipped'] as const

/** What was sent to a webhook, and what is still to be sent, the last event first. */
export function Deliveries({ admin, webhook }: SectionProps & { readonly webhook: string }) {
  const [status, setStatus] = useState('')
  const [most, setMost] = useState(pageSize)
  const [busy, setBusy] = useState('')
  const { data, failure, reload } = useAsked(`${webhook} ${status} ${most}`, (signal) =>
    client.object('WebhookDelivery').page({
      filters: { whd_webhook_id: webhook, ...(status !== '' && { whd_status: status }) },
      pageSize: most,
      signal,
    }),
  )
  const rows = data?.records ?? []
  useReload(
    rows.some((one) => one['whd_status'] === 'pending'),
    reload,
  )
  const mayRetry = admin.of('WebhookDelivery')?.actions.some(({ name }) => name === 'retry')

  async function retry(id: string): Promise<void> {
    setBusy(id)
    try {
      await client.object('WebhookDelivery').action('retry', {}, { rowId: id })
      toast(t('delivery.retried'))
      reload()
    } catch (reason) {
      toast(messageOf(reason), { tone: 'bad' })
    } finally {
      setBusy('')
    }
  }

  const columns: readonly Column<AnyRecord>[] = [
    { id: 'event', title: t('delivery.event'), onCard: 'title', cell: (one) => <Event delivery={one} /> },
    {
      id: 'status',
      title: t('delivery.status'),
      onCard: 'corner',
      cell: ({ whd_status: code }) => <Badge tone={tones[String(code)] ?? 'neutral'}>{textOf(String(code))}</Badge>,
    },
    { id: 'answer', title: t('delivery.answer'), cell: answerOf },
    {
      id: 'attempts',
      title: t('delivery.attempts'),
      align: 'end',
      cell: ({ whd_attempts: count }) => Number(count ?? 0),
    },
    {
      id: 'time',
      title: t('delivery.time'),
      onCard: 'hidden',
      wideOnly: true,
      cell: ({ whd_created: at }) => <Time at={utc(at)} />,
    },
    {
      id: 'retry',
      title: t('actions'),
      align: 'end',
      cell: ({ row_id: id, whd_status: code }) =>
        mayRetry &&
        (code === 'failed' || code === 'skipped') && (
          <Button small icon="restart" busy={busy === id} onClick={() => void retry(id)}>
            {t('delivery.retry')}
          </Button>
        ),
    },
  ]
  return (
    <section class="admin-section" aria-label={t('webhook.deliveries')}>
      <div class="admin-section-head">
        <h2>{t('webhook.deliveries')}</h2>
        <Choice
          name={t('delivery.status')}
          any={t('delivery.status')}
          value={status}
          values={statuses.map((one) => [one, textOf(one)] as const)}
          onChoose={setStatus}
        />
      </div>
      {failure !== undefined && <Problem failure={failure} onRetry={reload} />}
      {rows.length > 0 ? (
        <Table caption={t('webhook.deliveries')} columns={columns} rows={rows} rowKey={({ row_id: id }) => id} />
      ) : data ? (
        <EmptyState title={t('webhook.noDeliveries')} />
      ) : (
        failure === undefined && <Skeleton lines={4} />
      )}
      {data?.cursor !== undefined && most < 1000 && (
        <div class="list-more">
          <Button onClick={() => setMost((now) => Math.min(now + 150, 1000))}>{t('button.more')}</Button>
        </div>
      )}
    </section>
  )
}

function textOf(status: string): string {
  return hasText(`delivery.${status}`) ? t(`delivery.${status}` as 'delivery.done') : status
}

function Event({ delivery }: { readonly delivery: AnyRecord }) {
  const { whd_object: object = '', whd_row_id: id = '', whd_action: action = '' } = delivery
  const text = `${String(object)} ${String(id)}`
  return (
    <>
      {action === 'delete' ? text : <a href={pathTo(String(object), String(id))}>{text}</a>}{' '}
      <span class="quiet">{eventName(String(action))}</span>
    </>
  )
}

function answerOf({ whd_http_status: http, whd_error: error = '', whd_next_dt: next = '' }: AnyRecord): string {
  const again = next === '' ? '' : t('delivery.next', { time: formatRelative(utc(next)) })
  return [http ?? '', error, again].filter((one) => one !== '').join(' · ') || '–'
}
