import { defineObject } from '../definition/define-object.js'
import { entryHooks } from './entry-hooks.js'

/** What can happen to a record. */
export const changeActions = ['create', 'update', 'delete'] as const

/**
 * Who changed what: one entry per written record of objects with `audit: true`. Source: docs/spec/wire-decisions.md,
 * "additions".
 */
export const AuditEntry = defineObject({
  name: 'AuditEntry',
  label: 'Audit entry',
  pluralLabel: 'Audit entries',
  table: 'sys_audit',
  fields: {
    aud_object: { type: 'string', length: 63, index: true, label: 'Object' },
    aud_row_id: { type: 'string', length: 800, index: true, label: 'Record' },
    aud_action: { type: 'enum', values: changeActions, label: 'Action' },
    aud_dt: { type: 'datetime', index: true, label: 'Time' },
    aud_login: { type: 'string', length: 255, label: 'Login' },
    aud_changes: { type: 'object', label: 'Changes', help: 'By field: the value before and the value after.' },
    aud_request: { type: 'string', length: 255, label: 'Request id' },
  },
  order: ['-row_id'],
  timestamps: false,
  readOnly: true,
  hooks: entryHooks({ object: 'aud_object', rowId: 'aud_row_id', login: 'aud_login', changes: 'aud_changes' }),
})

/** The outbox of events: one per written record of objects with `events: true`. */
export const Event = defineObject({
  name: 'Event',
  label: 'Event',
  pluralLabel: 'Events',
  table: 'sys_event',
  fields: {
    evt_number: {
      type: 'integer',
      precision: 18,
      index: true,
      label: 'Number',
      help: 'Without gaps in the order of commits; empty until it was given.',
    },
    evt_object: { type: 'string', length: 63, label: 'Object' },
    evt_row_id: { type: 'string', length: 800, label: 'Record' },
    evt_action: { type: 'enum', values: changeActions, label: 'Action' },
    evt_dt: { type: 'datetime', index: true, label: 'Time' },
    evt_login: { type: 'string', length: 255, label: 'Login' },
  },
  timestamps: false,
  readOnly: true,
  hooks: entryHooks({ object: 'evt_object', rowId: 'evt_row_id', login: 'evt_login' }),
})

/** What only one process at a time may do, and how far it came. */
export const Lease = defineObject({
  name: 'Lease',
  label: 'Lease',
  pluralLabel: 'Leases',
  table: 'sys_lease',
  fields: {
    lse_name: { type: 'string', length: 63, key: true, label: 'Name' },
    lse_owner: { type: 'string', length: 63, label: 'Owner' },
    lse_beat: {
      type: 'integer',
      precision: 18,
      renamedFrom: 'lse_until',
      label: 'Beat',
      help: 'Changes while the owner lives.',
    },
    lse_term: { type: 'integer', precision: 18, label: 'Term', help: 'Grows with each change of the owner.' },
    lse_number: { type: 'integer', precision: 18, label: 'Number', help: 'Of the last event that it dealt with.' },
  },
  timestamps: false,
  readOnly: true,
})
