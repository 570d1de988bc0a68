import {
  Badge,
  Button,
  EmptyState,
  Skeleton,
  Table,
  Time,
  toast,
  View,
  type Column,
  type Tone,
} from '@steward/page-kit'
import { RestClientError, type AnyRecord, type Task } from '@steward/rest-client'
import { useState } from 'preact/hooks'
import { messageOf, Problem } from '../components/problem.js'
import { t as general } from '../lib/i18n.js'
import { useApiCall } from '../lib/screen.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import type { SectionProps } from './admin.js'
import { hasText, t } from './i18n.js'
import { useReload, utc } from './utc.js'

/** Those that are kept: ended ones for an hour. */
const most = 200
const tones: Readonly<Record<string, Tone>> = { running: 'busy', done: 'good', failed: 'bad', cancelled: 'neutral' }

interface Row {
  readonly record: AnyRecord
  /** How far it is; undefined: the user may not know. */
  readonly task: Task | undefined
}

/** Background actions of all users: how far they are, and how they ended. */
export function Tasks({ admin }: SectionProps) {
  const [busy, setBusy] = useState('')
  const { data, failure, reload } = useAsked('tasks', readTasks)
  const rows = data?.rows
  useApiCall({ object: 'BackgroundTask', method: 'page', args: [{ pageSize: most }] })
  useReload(rows?.some(({ record }) => record['tsk_status'] === 'running') === true, reload)
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!rows || !data) return <Skeleton lines={8} />

  async function cancel(id: string): Promise<void> {
    setBusy(id)
    try {
      await client.cancelTask(id)
      toast(t('task.asked'))
      reload()
    } catch (reason) {
      toast(messageOf(reason), { tone: 'bad' })
    } finally {
      setBusy('')
    }
  }

  const columns: readonly Column<Row>[] = [
    {
      id: 'action',
      title: t('task.action'),
      onCard: 'title',
      cell: ({ record }) => {
        const name = String(record['tsk_object'])
        return `${admin.objects.find((one) => one.name === name)?.plural ?? name}: ${String(record['tsk_action'])}`
      },
    },
    { id: 'by', title: t('task.by'), cell: ({ record }) => String(record['tsk_login']) },
    {
      id: 'created',
      title: t('task.since'),
      onCard: 'hidden',
      wideOnly: true,
      cell: ({ record }) => <Time at={utc(record['tsk_created'])} />,
    },
    { id: 'status', title: t('task.status'), onCard: 'corner', cell: (row) => <Status {...row} /> },
    { id: 'progress', title: t('task.progress'), cell: (row) => <Progress {...row} /> },
    {
      id: 'cancel',
      title: t('actions'),
      align: 'end',
      cell: ({ record, task }) =>
        task?.status === 'running' &&
        record['tsk_cancel'] !== true && (
          <Button small icon="stop" busy={busy === task.id} onClick={() => void cancel(task.id)}>
            {t('task.cancel')}
          </Button>
        ),
    },
  ]
  return (
    <View title={general('admin.tasks')} aside={general('list.count', { count: data.count })}>
      {rows.length > 0 ? (
        <Table
          caption={general('admin.tasks')}
          columns={columns}
          rows={rows}
          rowKey={({ record: { row_id: id } }) => id}
        />
      ) : (
        <EmptyState title={t('tasks.empty')}>
          <p>{t('tasks.emptyText')}</p>
        </EmptyState>
      )}
      {data.count > rows.length && <p class="quiet">{t('tasks.latest', { count: rows.length })}</p>}
    </View>
  )
}

/** The latest, and how many there are. */
async function readTasks(signal: AbortSignal): Promise<{ readonly rows: readonly Row[]; readonly count: number }> {
  const tasks = client.object('BackgroundTask')
  const [{ records }, { count }] = await Promise.all([
    tasks.page({ pageSize: most, signal }),
    tasks.count({}, { signal }),
  ])
  const rows = await Promise.all(
    records.map(async (record) => {
      // Among those that are over, only a failure has more to say.
      const asks = ['running', 'failed'].includes(String(record['tsk_status']))
      return { record, task: asks ? await taskOf(String(record['tsk_id']), signal) : undefined }
    }),
  )
  return { rows, count }
}

/** Undefined: others started it, or it is not kept any longer. */
async function taskOf(id: string, signal: AbortSignal): Promise<Task | undefined> {
  try {
    return await client.task(id, { signal })
  } catch (failure) {
    if (RestClientError.is(failure) && failure.status === 404) return undefined
    throw failure
  }
}

function Status({ record, task }: Row) {
  const status = task?.status ?? String(record['tsk_status'])
  const isStopping = status === 'running' && record['tsk_cancel'] === true
  const key = isStopping ? 'stopping' : status === 'running' && task?.started === '' ? 'waiting' : status
  return (
    <Badge tone={tones[status] ?? 'neutral'}>{hasText(`task.${key}`) ? t(`task.${key}` as 'task.done') : key}</Badge>
  )
}

function Progress({ task }: Row) {
  if (!task) return <span class="quiet">–</span>
  if (task.status === 'failed') return <>{task.error?.message ?? '–'}</>
  const { done, total, text } = task
  return (
    <span class="admin-progress">
      {total !== null && total > 0 && <progress aria-label={t('task.progress')} max={total} value={done} />}
      <span>
        {[total === null ? (done > 0 ? String(done) : '') : `${done} / ${total}`, text].filter(Boolean).join(' · ') ||
          '–'}
      </span>
    </span>
  )
}
