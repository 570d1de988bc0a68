import { Button, formatRelative, Notice, Skeleton, toast, View } from '@steward/page-kit'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { ConfirmChange } from '../components/confirm-change.js'
import { messageOf, Problem } from '../components/problem.js'
import { t as general } from '../lib/i18n.js'
import { useApiCall } from '../lib/screen.js'
import { pathToSection } from '../lib/sections.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import type { OneProps } from './admin.js'
import { Deliveries } from './deliveries.js'
import { t } from './i18n.js'
import { webhookSecret } from './secrets.js'
import { utc } from './utc.js'
import { WebhookDialog } from './webhook-dialog.js'
import { WebhookSecret, WebhookState, whatOf } from './webhooks.js'

/** A webhook: where it goes, whether it works, and what was sent. */
export function Webhook({ admin, id }: OneProps) {
  const { route } = useLocation()
  const [open, setOpen] = useState<'edit' | 'secret' | 'delete'>()
  const [secret, setSecret] = useState('')
  const [isBusy, setBusy] = useState(false)
  const { data: webhook, failure, reload } = useAsked(id, (signal) => client.object('Webhook').get(id, { signal }))
  useApiCall({ object: 'Webhook', method: 'get', args: [id] })
  const metadata = admin.of('Webhook')
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!webhook || !metadata) return <Skeleton />
  const name = String(webhook['whk_name'])
  const isActive = webhook['whk_active'] === true
  const reason = String(webhook['whk_off_reason'] ?? '')
  const since = String(webhook['whk_failing_since'] ?? '')
  const close = () => setOpen(undefined)

  async function switchTo(active: boolean): Promise<void> {
    setBusy(true)
    try {
      await client.object('Webhook').update(id, { whk_active: active })
      reload()
    } catch (failed) {
      toast(messageOf(failed), { tone: 'bad' })
    } finally {
      setBusy(false)
    }
  }

  async function replaceSecret(): Promise<void> {
    const made = webhookSecret()
    await client.object('Webhook').update(id, { whk_secret: made })
    close()
    setSecret(made)
  }

  async function remove(): Promise<void> {
    await client.object('Webhook').delete(id)
    toast(t('deleted'))
    route(pathToSection('webhooks'), true)
  }

  return (
    <View
      title={name}
      above={<a href={pathToSection('webhooks')}>{general('admin.webhooks')}</a>}
      aside={<WebhookState webhook={webhook} />}
      actions={
        <>
          {metadata.update && (
            <>
              <Button onClick={() => setOpen('edit')}>{t('button.edit')}</Button>
              <Button busy={isBusy} onClick={() => void switchTo(!isActive)}>
                {t(isActive ? 'user.switchOff' : 'user.switchOn')}
              </Button>
              <Button onClick={() => setOpen('secret')}>{t('webhook.newSecret')}</Button>
            </>
          )}
          {metadata.del && (
            <Button icon="trash" onClick={() => setOpen('delete')}>
              {t('button.delete')}
            </Button>
          )}
        </>
      }
    >
      <p class="admin-long">{String(webhook['whk_url'] ?? '')}</p>
      <p class="quiet">
        {[
          whatOf(webhook),
          webhook['whk_user_id__usr_login'],
          webhook['whk_with_record'] === true && t('field.whk_with_record'),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {reason !== '' && <Notice tone="warn" title={reason} />}
      {isActive && since !== '' && (
        <Notice
          tone="warn"
          title={t('webhook.failingSince', {
            count: Number(webhook['whk_failures'] ?? 0),
            time: formatRelative(utc(since)),
          })}
        />
      )}
      {admin.of('WebhookDelivery') && <Deliveries admin={admin} webhook={id} />}
      {open === 'edit' && (
        <WebhookDialog
          admin={admin}
          webhook={webhook}
          onClose={close}
          onSaved={() => {
            toast(t('saved'))
            close()
            reload()
          }}
        />
      )}
      {open === 'secret' && (
        <ConfirmChange
          title={t('webhook.newSecretTitle', { name })}
          action={t('webhook.newSecret')}
          onClose={close}
          onConfirm={replaceSecret}
        >
          <p>{t('webhook.newSecretText')}</p>
        </ConfirmChange>
      )}
      {open === 'delete' && (
        <ConfirmChange
          title={t('delete.title', { name })}
          action={t('button.delete')}
          danger
          onClose={close}
          onConfirm={remove}
        >
          <p>{t('delete.text')}</p>
        </ConfirmChange>
      )}
      {secret !== '' && <WebhookSecret name={name} secret={secret} onClose={() => setSecret('')} />}
    </View>
  )
}
