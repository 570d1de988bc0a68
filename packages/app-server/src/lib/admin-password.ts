import { RestError } from '@steward/rest-core/errors'
import { SettingsError } from './settings.js'

/** Waits for an administrator to be made; a refused password is named by the name of its setting. */
export async function withAdminPassword<T>(made: Promise<T>): Promise<T> {
  try {
    return await made
  } catch (error) {
    const refused = RestError.is(error) && error.messages.find(({ field }) => field === 'usr_password')
    if (!refused) throw error
    throw new SettingsError(refused.text.replace(/^.*"usr_password"/, 'STEWARD_ADMIN_PASSWORD'), { cause: error })
  }
}
