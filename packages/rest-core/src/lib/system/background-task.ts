import { defineObject } from '../definition/define-object.js'

/** Background actions of all processes: those that wait, run, and ended lately. Written by the service only. */
export const BackgroundTask = defineObject({
  name: 'BackgroundTask',
  label: 'Background task',
  pluralLabel: 'Background tasks',
  table: 'sys_task',
  timestamps: false,
  readOnly: true,
  fields: {
    tsk_id: { type: 'string', length: 63, key: true, label: 'Task id' },
    tsk_object: { type: 'string', length: 63, label: 'Object' },
    tsk_action: { type: 'string', length: 63, label: 'Action' },
    tsk_login: { type: 'string', length: 255, label: 'Login' },
    tsk_user: { type: 'string', length: 255, hidden: true, label: 'User' },
    tsk_status: {
      type: 'enum',
      values: ['running', 'done', 'failed', 'cancelled'],
      index: true,
      label: 'Status',
    },
    tsk_created: { type: 'datetime', label: 'Created' },
    // These may hold what a reader of this object may not see.
    tsk_state: { type: 'text', hidden: true, label: 'State' },
    tsk_request: { type: 'text', hidden: true, label: 'Request' },
    tsk_cancel: { type: 'boolean', label: 'Asked to stop' },
    tsk_owner: { type: 'string', length: 63, hidden: true, label: 'Process' },
    tsk_expires: { type: 'integer', precision: 18, index: true, label: 'Kept until (ms since 1970)' },
  },
  order: ['-row_id'],
})
