import { RestError } from '../../errors.js'
import type { DeleteContext, WriteContext } from '../service/hooks.js'

/** The system parameter that says that an application was filled by its `setup`, which must not happen twice. */
export const setupParameter = 'STEWARD_SETUP'

export async function checkParameter({ old }: WriteContext): Promise<void> {
  refuse((await old())?.['sys_code'])
}

export function checkParameterDeletion({ record }: DeleteContext): void {
  refuse(record['sys_code'])
}

function refuse(code: unknown): void {
  if (code === setupParameter)
    throw new RestError('ERR_RIGHT', `"${setupParameter}" cannot be changed: it says that the application was filled.`)
}
