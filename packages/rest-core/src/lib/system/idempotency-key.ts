import { defineObject } from '../definition/define-object.js'

/** Answers of writes that were sent with an `Idempotency-Key`, for repeats of the same request. Written by the service only. */
export const IdempotencyKey = defineObject({
  name: 'IdempotencyKey',
  label: 'Idempotency key',
  pluralLabel: 'Idempotency keys',
  table: 'sys_idempotency_key',
  timestamps: false,
  readOnly: true,
  fields: {
    idk_user: { type: 'string', length: 255, key: true, label: 'User' },
    idk_key: { type: 'string', length: 255, key: true, label: 'Key' },
    idk_request: { type: 'string', length: 64, hidden: true, label: 'Hash of the request' },
    idk_status: { type: 'integer', label: 'Status' },
    idk_headers: { type: 'object', hidden: true, label: 'Headers' },
    // May hold what a reader of this object may not see.
    idk_answer: { type: 'text', hidden: true, label: 'Answer' },
    idk_expires: { type: 'integer', required: true, index: true, label: 'Expires (ms since 1970)' },
  },
})
