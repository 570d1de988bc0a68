import type { Variable } from '../variable.js'
import { integer, pace, secret } from './rows.js'

const section = 'Monitoring'

/** Variables of the health checks that the server makes, and of its alerts. Not in the requirements, which leave them to commands. */
export const monitoringTable = {
  APPS_MONITORINTERVAL: pace(
    section,
    '60',
    'Seconds between health checks of started instances by the server; 0: none',
    0,
    86_400,
  ),
  APPS_MONITORSLOW: pace(section, '5000', 'Response time in ms that counts as slow', 1, 600_000),
  APPS_MONITORAFTER: pace(section, '2', 'Failed checks in a row before an alert is sent', 1, 100),
  APPS_MONITORDAYS: integer(section, '30', 'Days to keep measurements', 1, 3650),
  APPS_ALERTWEBHOOK: secret(section, 'Address that alerts are posted to as JSON'),
} as const satisfies Readonly<Record<string, Variable>>
