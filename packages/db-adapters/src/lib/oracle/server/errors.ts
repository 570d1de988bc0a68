import { isNetworkCode } from '../../pool/network-errors.js'
import type { DatabaseServerErrorCode } from '../../server/database-server.js'
import { createTranslator } from '../../server/translate-error.js'

export interface OracleError extends Error {
  /** The server's number; 0 for errors of the driver. */
  readonly errorNum?: number
  /** `ORA-01017`, `NJS-503` */
  readonly code?: string
}

export const translateError = createTranslator({
  vendor: 'Oracle',
  codeOf: ({ errorNum, code }: OracleError) =>
    codeOf(errorNum || Number(/^ORA-(\d+)$/.exec(code ?? '')?.[1])) ?? codeOfDriver(code),
  codeOfText: () => 'ERR_FAILED',
})

/** Source: https://docs.oracle.com/error-help/db/ */
function codeOf(number: number): DatabaseServerErrorCode | undefined {
  switch (number) {
    case 1017: // invalid credential or not authorized; logon denied
    case 1031: // insufficient privileges
    case 1045: // Login denied. User %s does not have CREATE SESSION privilege.
    case 28000: // The account is locked.
    case 28001: // The account has expired.
    case 28003: // Password verification for the specified password failed
      return 'ERR_CREDENTIALS'
    case 1918: // user '%s' does not exist
      return 'ERR_NOT_FOUND'
    case 955: // name is already used by an existing object
    case 1920: // user name '%s' conflicts with another user or role name
      return 'ERR_EXISTS'
    case 257: // Archiver error. Connect AS SYSDBA only until resolved.
    case 1536: // space quota exceeded for tablespace '%s'
    case 1652: // unable to extend temp segment by %s in tablespace %s
    case 1653: // unable to extend table %s.%s by %s in tablespace %s
    case 1654: // unable to extend index %s.%s by %s in tablespace %s
    case 1658: // unable to create INITIAL extent for segment in tablespace %s
    case 1659: // unable to allocate MINEXTENTS beyond %s in tablespace %s
    case 1691: // unable to extend lob segment %s.%s by %s in tablespace %s
    case 12953: // The request exceeds the maximum allowed database size of %s GB
    case 30036: // unable to extend segment by %s in undo tablespace '%s'
      return 'ERR_DISK_FULL'
    case 28: // your session has been killed
    case 1012: // not logged on
    case 1033: // ORACLE initialization or shutdown in progress
    case 1034: // ORACLE not available
    case 1089: // immediate shutdown or close in progress - no operations are permitted
    case 3113: // end-of-file on communication channel
    case 3114: // not connected to ORACLE
    case 3135: // connection lost contact
    case 12170: // connect timeout occurred
    case 12505: // listener does not currently know of SID given in connect descriptor
    case 12514: // listener does not currently know of service requested in connect descriptor
    case 12516: // listener could not find available handler with matching protocol stack
    case 12541: // no listener
      return 'ERR_UNREACHABLE'
    default:
      return undefined
  }
}

/** Connections that are not there, closed, refused, too slow, lost, and services, SIDs and hosts that are unknown. */
const lost = /^NJS-(003|500|501|503|504|510|511|513|518|519|521|530)$/

/** Source: https://node-oracledb.readthedocs.io/en/latest/user_guide/exception_handling.html */
function codeOfDriver(code = ''): DatabaseServerErrorCode {
  return isNetworkCode(code) || lost.test(code) ? 'ERR_UNREACHABLE' : 'ERR_FAILED'
}
