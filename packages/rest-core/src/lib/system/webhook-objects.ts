import { defineObject } from '../definition/define-object.js'
import { changeActions } from './change-objects.js'
import { checkWebhook } from './check-webhook.js'
import { entryHooks } from './entry-hooks.js'
import { mayRetry, retry } from './retry-delivery.js'

/** Where events are sent. Signatures follow the convention of Standard Webhooks. */
export const Webhook = defineObject({
  name: 'Webhook',
  label: 'Webhook',
  pluralLabel: 'Webhooks',
  table: 'sys_webhook',
  fields: {
    whk_name: { type: 'string', length: 100, key: true, label: 'Name' },
    whk_url: { type: 'url', length: 2000, required: true, label: 'Address' },
    // Has type string and not password, since a signature needs the secret itself and not its hash.
    whk_secret: {
      type: 'string',
      length: 200,
      required: true,
      hidden: true,
      label: 'Secret',
      help: '"whsec_" and 24 to 64 bytes in base64. Signs what is sent; never answered.',
    },
    whk_objects: { type: 'text', label: 'Objects', help: 'Names of objects, separated by commas. Empty: all.' },
    whk_actions: { type: 'multi-enum', values: changeActions, label: 'Actions', help: 'Empty: all.' },
    whk_user_id: {
      type: 'reference',
      object: 'User',
      display: ['usr_login'],
      onDelete: 'cascade',
      label: 'User',
      help: 'It receives what this user may read. Empty: everything.',
    },
    whk_with_record: { type: 'boolean', label: 'With record', help: 'Sends the record as the user may read it.' },
    whk_active: { type: 'boolean', default: true, label: 'Active' },
    whk_failing_since: { type: 'datetime', readOnly: true, label: 'Failing since' },
    whk_failures: { type: 'integer', readOnly: true, label: 'Failed attempts in a row' },
    whk_off_reason: { type: 'string', length: 500, readOnly: true, label: 'Switched off because' },
    whk_hold: { type: 'integer', precision: 18, readOnly: true, hidden: true, label: 'Held until (ms since 1970)' },
  },
  order: ['whk_name'],
  hooks: { preValidate: checkWebhook },
})

/** What was sent to webhooks, and what is still to be sent. */
export const WebhookDelivery = defineObject({
  name: 'WebhookDelivery',
  label: 'Webhook delivery',
  pluralLabel: 'Webhook deliveries',
  table: 'sys_webhook_delivery',
  fields: {
    whd_webhook_id: {
      type: 'reference',
      object: 'Webhook',
      display: ['whk_name'],
      onDelete: 'cascade',
      required: true,
      label: 'Webhook',
    },
    whd_event: { type: 'integer', precision: 18, label: 'Number of the event' },
    whd_object: { type: 'string', length: 63, label: 'Object' },
    whd_row_id: { type: 'string', length: 800, label: 'Record' },
    whd_action: { type: 'enum', values: changeActions, label: 'Action' },
    whd_event_dt: { type: 'datetime', label: 'Time of the event' },
    whd_login: { type: 'string', length: 255, label: 'Login' },
    whd_status: {
      type: 'enum',
      values: [
        { code: 'pending', label: 'To be sent' },
        { code: 'done', label: 'Sent' },
        { code: 'failed', label: 'Given up' },
        { code: 'skipped', label: 'Not sent' },
      ],
      label: 'Status',
    },
    whd_attempts: { type: 'integer', label: 'Attempts' },
    whd_next_dt: { type: 'datetime', label: 'Next attempt' },
    whd_due: { type: 'integer', precision: 18, index: true, hidden: true, label: 'Next attempt (ms since 1970)' },
    whd_http_status: { type: 'integer', label: 'Last HTTP status' },
    whd_error: { type: 'string', length: 500, label: 'Last error' },
    whd_created: { type: 'datetime', index: true, label: 'Created' },
    whd_ended: { type: 'datetime', label: 'Ended' },
  },
  order: ['-row_id'],
  timestamps: false,
  readOnly: true,
  actions: { retry },
  hooks: {
    ...entryHooks({ object: 'whd_object', rowId: 'whd_row_id', login: 'whd_login' }),
    isActionEnable: ({ record }) => mayRetry(record),
  },
})
