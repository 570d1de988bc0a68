import type { Action } from '../action.js'
import { actionTable } from './action-table.js'
import { applicationActions } from './application.js'
import { backupActions } from './backups.js'
import { certificateActions } from './certificates.js'
import { containerActions } from './containers.js'
import { databaseInfo } from './database-info.js'
import { doctorActions } from './doctor.js'
import { flagActions } from './flags.js'
import { historyActions } from './history.js'
import { isolateAction } from './isolate.js'
import { lifecycleActions } from './lifecycle.js'
import { lookingActions } from './looking.js'
import { managerActions } from './manager.js'
import { monitoringActions } from './monitoring.js'
import { neutraliseActions } from './neutralise.js'
import { operationActions } from './operations.js'
import { qualityActions } from './quality.js'
import { requestActions } from './requests.js'
import { runtimeActions } from './runtimes.js'
import { documentActions } from './documents.js'
import { runningActions } from './running.js'
import { settingActions } from './settings.js'
import { statusAction } from './status.js'
import { swarmActions } from './swarm.js'
import { targetActions } from './targets.js'
import { sessionActions } from './sessions.js'
import { tokenActions } from './tokens.js'
import { versionActions } from './versions.js'
import { whoamiAction } from './whoami.js'

const first: readonly Action[] = [
  ...lifecycleActions,
  ...runningActions,
  ...versionActions,
  ...backupActions,
  ...targetActions,
  ...lookingActions,
  statusAction,
  databaseInfo,
  ...historyActions,
  ...monitoringActions,
  ...operationActions,
  ...flagActions,
  ...neutraliseActions,
  ...settingActions,
  isolateAction,
  ...runtimeActions,
  ...documentActions,
]
const last: readonly Action[] = [
  ...swarmActions,
  ...applicationActions,
  ...qualityActions,
  ...requestActions,
  ...certificateActions,
  ...tokenActions,
  ...sessionActions,
  whoamiAction,
  ...managerActions,
  ...doctorActions,
  actionTable(() => actions),
]

/** The action table. */
export const actions: readonly Action[] = Object.freeze([...first, ...containerActions([...first, ...last]), ...last])

/** By name or alias; between two words stands a space or, as in the API, a hyphen: `backups verify`, `backups-verify`. */
export function findAction(name: string): Action | undefined {
  const plain = (text: string) => text.replaceAll('-', ' ')
  return actions.find((action) =>
    [action.name, ...(action.aliases ?? []), ...(action.formerly ?? [])].some((one) => plain(one) === plain(name)),
  )
}
