import { Badge, Button, EmptyState, Skeleton, Table, View, type Column, type Tone } from '@steward/page-kit'
import type { AnyRecord } from '@steward/rest-client'
import { useState } from 'preact/hooks'
import { Problem } from '../components/problem.js'
import { t as general } from '../lib/i18n.js'
import { useApiCall } from '../lib/screen.js'
import { pathToSection } from '../lib/sections.js'
import { useAsked } from '../lib/use-asked.js'
import type { SectionProps } from './admin.js'
import { allOf } from './context.js'
import { namesIn } from './grant-sentence.js'
import { eventName, t } from './i18n.js'
import { ShownOnce } from './shown-once.js'
import { WebhookDialog } from './webhook-dialog.js'

/** Webhooks with what they get, and whether they work. */
export function Webhooks({ admin }: SectionProps) {
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<{ readonly name: string; readonly secret: string }>()
  const { data, failure, reload } = useAsked('webhooks', (signal) => allOf('Webhook', {}, signal))
  useApiCall({ object: 'Webhook', method: 'page', args: [{}] })
  const metadata = admin.of('Webhook')
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data || !metadata) return <Skeleton lines={8} />
  const columns: readonly Column<AnyRecord>[] = [
    {
      id: 'whk_name',
      title: t('field.whk_name'),
      onCard: 'title',
      cell: ({ row_id: id, whk_name: name }) => <a href={pathToSection('webhooks', id)}>{String(name)}</a>,
    },
    { id: 'whk_url', title: t('field.whk_url'), cell: ({ whk_url: url = '' }) => String(url) },
    { id: 'what', title: t('field.whk_actions'), cell: (webhook) => whatOf(webhook) },
    { id: 'state', title: t('users.state'), onCard: 'corner', cell: (webhook) => <WebhookState webhook={webhook} /> },
  ]
  return (
    <View
      title={general('admin.webhooks')}
      aside={general('list.count', { count: data.length })}
      actions={
        metadata.create && (
          <Button kind="primary" icon="add" onClick={() => setNew(true)}>
            {t('webhooks.new')}
          </Button>
        )
      }
    >
      {data.length > 0 ? (
        <Table caption={general('admin.webhooks')} columns={columns} rows={data} rowKey={({ row_id: id }) => id} />
      ) : (
        <EmptyState title={t('webhooks.empty')} />
      )}
      {isNew && (
        <WebhookDialog
          admin={admin}
          webhook={undefined}
          onClose={() => setNew(false)}
          onSaved={(name, secret) => {
            setNew(false)
            setMade({ name, secret })
            reload()
          }}
        />
      )}
      {made && <WebhookSecret {...made} onClose={() => setMade(undefined)} />}
    </View>
  )
}

export function WebhookSecret({
  name,
  secret,
  onClose,
}: {
  readonly name: string
  readonly secret: string
  readonly onClose: () => void
}) {
  return (
    <ShownOnce title={t('webhook.secret', { name })} text={t('webhook.secretText')} secret={secret} onClose={onClose} />
  )
}

export function WebhookState({ webhook }: { readonly webhook: AnyRecord }) {
  const { whk_active: isActive, whk_failing_since: since = '' } = webhook
  const [tone, text]: readonly [Tone, string] =
    isActive !== true
      ? ['neutral', t('webhook.off')]
      : since === ''
        ? ['good', t('webhook.on')]
        : ['warn', t('webhook.failing')]
  return <Badge tone={tone}>{text}</Badge>
}

/** Which events of which objects. */
export function whatOf({ whk_objects: objects = '', whk_actions: actions }: AnyRecord): string {
  const chosen = Array.isArray(actions) ? actions.map(String) : []
  const named = chosen.map(eventName)
  return [namesIn(String(objects)).join(', ') || t('webhook.allObjects'), named.join(', ') || t('webhook.all')].join(
    ' · ',
  )
}
