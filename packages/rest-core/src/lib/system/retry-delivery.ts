import { RestError } from '../../errors.js'
import type { ActionDefinition } from '../actions/action.js'
import { timestamp } from '../fields/temporal.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord } from '../model/model.js'
import { sessionOf } from '../service/session-of.js'

const ended = ['failed', 'skipped']

/** Only what was given up or not sent: what is still to be sent comes by itself. */
export function mayRetry(record: BusinessRecord | undefined): boolean {
  return ended.includes(String(record?.['whd_status']))
}

/** Sends a delivery again, with all of its attempts. */
export const retry: ActionDefinition = {
  label: 'Retry',
  help: 'Sends it again.',
  repeatable: true,
  async run({ object, record, service }) {
    if (!record) return
    const values = {
      whd_status: 'pending',
      whd_attempts: 0,
      whd_due: 0,
      whd_next_dt: timestamp(new Date()),
      whd_error: '',
      whd_ended: '',
    }
    const where: Filter = { op: 'in', field: 'whd_status', values: ended }
    const session = await sessionOf(service)
    if (!(await session.update(object, record.row_id, values, { select: object.select([]), where })))
      throw new RestError('ERR_CONFLICT', 'This delivery is already being sent.')
  },
}
