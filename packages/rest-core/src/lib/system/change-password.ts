import { RestError } from '../../errors.js'
import { systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects } from '../service/business-objects.js'

/**
 * Gives a user another password, by the rules of the application, in the name of that user, who needs no right to users for
 * it. The caller has checked the present one.
 *
 * @throws RestError ERR_VALIDATION, whose messages are about `newPassword`
 */
export async function changePassword(
  service: BusinessObjects,
  { userId, login }: Pick<Principal, 'userId' | 'login'>,
  password: string,
): Promise<void> {
  try {
    await service.update(systemPrincipal({ userId, login }), 'User', userId, { usr_password: password })
  } catch (error) {
    if (!RestError.is(error) || !error.messages.some(({ field }) => field === 'usr_password')) throw error
    throw RestError.validation(
      error.messages.map(({ field, text, ...rest }) => ({
        ...rest,
        field: field === 'usr_password' ? 'newPassword' : field,
        text: text.replace('Field "usr_password"', 'The new password'),
      })),
    )
  }
}
