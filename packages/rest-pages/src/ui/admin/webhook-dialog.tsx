import type { FieldMetadata } from '@steward/rest-core'
import type { AnyRecord } from '@steward/rest-client'
import { useState } from 'preact/hooks'
import { client } from '../lib/session.js'
import type { SectionProps } from './admin.js'
import { Choices } from './choices.js'
import { FormDialog } from './form-dialog.js'
import { namesIn } from './grant-sentence.js'
import { eventName, t } from './i18n.js'
import { webhookSecret } from './secrets.js'

export interface WebhookDialogProps extends SectionProps {
  /** Absent: a new one. */
  readonly webhook: AnyRecord | undefined
  readonly onClose: () => void
  /** @param secret of a new one; empty: it stays */
  readonly onSaved: (name: string, secret: string) => void
}

/** Where which events are sent. A new webhook gets a secret. */
export function WebhookDialog({ admin, webhook, onClose, onSaved }: WebhookDialogProps) {
  const [objects, setObjects] = useState(namesIn(String(webhook?.['whk_objects'] ?? '')))
  async function save(values: Readonly<Record<string, unknown>>): Promise<void> {
    const all = { ...values, whk_objects: objects.join(', ') }
    if (webhook) {
      const { whk_name: name } = await client.object('Webhook').update(webhook['row_id'], all)
      return onSaved(String(name), '')
    }
    const secret = webhookSecret()
    const { whk_name: name } = await client.object('Webhook').create({ ...all, whk_secret: secret })
    onSaved(String(name), secret)
  }

  return (
    <FormDialog
      title={webhook ? String(webhook['whk_name']) : t('webhooks.new')}
      action={t(webhook ? 'button.save' : 'button.create')}
      object="Webhook"
      adapt={inLanguage}
      names={['whk_name', 'whk_url', 'whk_actions', 'whk_user_id', 'whk_with_record']}
      others={['whk_objects']}
      record={webhook}
      linked={{ whk_user_id: String(webhook?.['whk_user_id__usr_login'] ?? '') }}
      onClose={onClose}
      onSave={save}
      more={(errors) => (
        <Choices
          label={t('field.whk_objects')}
          help={t('webhook.objectsHelp')}
          values={admin.objects.filter(({ isSystem }) => !isSystem).map(({ name, plural }) => [name, plural] as const)}
          chosen={objects}
          onChange={(chosen) => setObjects([...chosen])}
          error={errors['whk_objects']}
        />
      )}
    />
  )
}

/** Events in the language of the user. */
function inLanguage(field: FieldMetadata): FieldMetadata {
  if (field.name !== 'whk_actions' || field.listOfValues === null) return field
  const listOfValues = field.listOfValues.map((one) => ({ ...one, value: eventName(one.code) }))
  return { ...field, listOfValues }
}
