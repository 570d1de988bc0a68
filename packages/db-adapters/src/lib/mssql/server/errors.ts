import { isNetworkCode } from '../../pool/network-errors.js'
import type { DatabaseServerErrorCode } from '../../server/database-server.js'
import { createTranslator } from '../../server/translate-error.js'
import type { NumberedError } from './connect.js'

export const translateError = createTranslator({
  vendor: 'SQL Server',
  codeOf: ({ number, code }: NumberedError) => codeOf(number) ?? codeOfDriver(code),
  codeOfText: () => 'ERR_FAILED',
})

/** Source: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors */
function codeOf(number: number | undefined): DatabaseServerErrorCode | undefined {
  switch (number) {
    case 229: // The %s permission was denied on the object '%s'
    case 230: // The %s permission was denied on the column '%s'
    case 262: // %s permission denied in database '%s'.
    case 297: // The user does not have permission to perform this action.
    case 300: // %s permission was denied on object '%s'
    case 916: // The server principal "%s" is not able to access the database "%s"
    case 6102: // User does not have permission to use the KILL statement.
    case 15118: // Password validation failed. The password does not meet the policy requirements
    case 15151: // Cannot %s the %s '%s', because it does not exist or you do not have permission.
    case 15247: // User does not have permission to perform this action.
    case 18452: // Login failed. The login is from an untrusted domain
    case 18456: // Login failed for user '%s'.
    case 18470: // Login failed for user '%s'. Reason: The account is disabled.
    case 18486: // Login failed for user '%s' because the account is currently locked out.
    case 18487: // Login failed for user '%s'. Reason: The password of the account has expired.
    case 18488: // Login failed for user '%s'. Reason: The password of the account must be changed.
      return 'ERR_CREDENTIALS'
    case 911: // Database '%s' does not exist.
    case 3701: // Cannot %s the %s '%s', because it does not exist or you do not have permission.
    case 4060: // Cannot open database "%s" requested by the login.
      return 'ERR_NOT_FOUND'
    case 1801: // Database '%s' already exists.
    case 2714: // There is already an object named '%s' in the database.
    case 15023: // User, group, or role '%s' already exists in the current database.
    case 15025: // The server principal '%s' already exists.
      return 'ERR_EXISTS'
    case 1101: // Could not allocate a new page for database '%s' because of insufficient disk space
    case 1105: // Could not allocate space for object '%s' in database '%s' because the '%s' filegroup is full
    case 5149: // MODIFY FILE encountered operating system error %s while attempting to expand the physical file '%s'.
    case 9002: // The transaction log for database '%s' is full
      return 'ERR_DISK_FULL'
    case 6005: // SHUTDOWN is in progress.
    case 17142: // SQL Server service has been paused.
    case 18401: // Login failed for user '%s'. Reason: Server is in script upgrade mode.
    case 40197: // The service has encountered an error processing your request.
    case 40501: // The service is currently busy.
    case 40613: // Database '%s' on server '%s' is not currently available.
      return 'ERR_UNREACHABLE'
    default:
      return undefined
  }
}

/** Errors without a server's number come from the driver; a log-in that failed without a number was refused. */
function codeOfDriver(code: string | undefined): DatabaseServerErrorCode {
  if (isNetworkCode(code)) return 'ERR_UNREACHABLE'
  switch (code) {
    case 'ESOCKET':
    case 'ETIMEOUT':
    case 'ECONNCLOSED':
    case 'EINVALIDSTATE':
    case 'EINSTLOOKUP':
      return 'ERR_UNREACHABLE'
    case 'ELOGIN':
      return 'ERR_CREDENTIALS'
    default:
      return 'ERR_FAILED'
  }
}
