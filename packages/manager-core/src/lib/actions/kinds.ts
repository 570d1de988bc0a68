import { proveKind } from '../backup/prove.js'
import { recreateKind } from '../backup/recreate.js'
import { restoreKind } from '../backup/restore.js'
import { saveKind } from '../backup/save.js'
import { verifyKind } from '../backup/load-backup.js'
import type { OperationKind } from '../context.js'
import { changeKinds } from '../instances/change.js'
import { addKind, cloneKind } from '../instances/create.js'
import { settingKinds } from '../instances/change-setting.js'
import { deleteKind } from '../instances/delete.js'
import { isolateKind, unisolateKind } from '../instances/isolate.js'
import { moveKind } from '../instances/move.js'
import { moveDocumentsKind } from '../instances/move-documents.js'
import { neutraliseKinds } from '../instances/neutralise.js'
import { purgeKind } from '../instances/purge.js'
import { renameKind } from '../instances/rename.js'
import { resetKind } from '../instances/reset.js'
import { restartKind } from '../instances/restart.js'
import {
  appDebugKind,
  appStartKind,
  appStopKind,
  setStatusKind,
  sleepKind,
  startKind,
  stopKind,
} from '../instances/start-and-stop.js'
import { undeleteKind } from '../instances/undelete.js'
import { rehearseKind } from '../upgrade/rehearse.js'
import { rollbackKind } from '../upgrade/rollback.js'
import { setVersionKind } from '../upgrade/set-version.js'
import { upgradeKind } from '../upgrade/upgrade.js'

const kinds: readonly OperationKind[] = [
  addKind,
  cloneKind,
  renameKind,
  resetKind,
  deleteKind,
  undeleteKind,
  purgeKind,
  ...Object.values(changeKinds),
  ...Object.values(neutraliseKinds),
  ...settingKinds,
  isolateKind,
  unisolateKind,
  moveKind,
  moveDocumentsKind,
  saveKind,
  restoreKind,
  recreateKind,
  proveKind,
  verifyKind,
  startKind,
  stopKind,
  sleepKind,
  restartKind,
  appStartKind,
  appStopKind,
  appDebugKind,
  setStatusKind,
  upgradeKind,
  rehearseKind,
  rollbackKind,
  setVersionKind,
]

/** All kinds by name, for recovery. */
export const operationKinds: ReadonlyMap<string, OperationKind> = new Map(kinds.map((kind) => [kind.kind, kind]))
