import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTarget, type BackupTarget } from '@steward/backup-targets'
import { createTestManager, type TestManager, type TestManagerOptions } from './create-test-manager.js'
import { managerPrefix } from '../recovery/manager-copy.js'
import { writeBackupOfNothing } from './made-up-backup.js'

/** A manager with the target `nas`, a folder. */
export interface ManagerWithStore extends TestManager {
  /** The target is this one around the folder for backups of instances from now on; undefined: the folder itself. */
  behind(wrap: ((folder: BackupTarget) => BackupTarget) | undefined): void
  /** Path below the folder. */
  store(...parts: readonly string[]): string
  /** All files below the folder but copies of the manager, also hidden ones, in their order. */
  stored(): readonly string[]
  /** Flips a bit in the middle of an object. */
  flip(key: string): void
  /** A made-up backup with a file of that many random bytes. @returns its key */
  madeUp(made?: Date, bytes?: number): string
}

/** Calls are tried again at once. Without a template unless `refresh`. */
export async function createManagerWithStore(options: TestManagerOptions = {}): Promise<ManagerWithStore> {
  let wrap: ((folder: BackupTarget) => BackupTarget) | undefined
  const test = await createTestManager({
    refresh: false,
    ...options,
    config: [
      'APPS_TARGETS=nas',
      'APPS_TARGET_NAS_TYPE=local',
      'APPS_TARGET_NAS_PATH=$APPS_HOME/../store',
      ...(options.config ?? []),
    ],
    targets: {
      retries: { attempts: 3, minPauseMs: 1, maxPauseMs: 2 },
      async open(how) {
        const opened = await openTarget(how)
        return wrap ? besideManagers(wrap(opened), opened) : opened
      },
    },
  })
  const store = (...parts: readonly string[]) => join(test.folder, 'store', ...parts)
  mkdirSync(store())
  return {
    ...test,
    store,
    behind: (next) => (wrap = next),
    stored: () =>
      readdirSync(store(), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(store().length + 1))
        .filter((key) => !key.startsWith(managerPrefix))
        .toSorted(),
    flip(key) {
      const bytes = readFileSync(store(key))
      const middle = bytes.length >> 1
      bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
      writeFileSync(store(key), bytes)
    },
    madeUp(made = new Date(), bytes = 3000) {
      const root = join(test.home, 'save')
      if (!existsSync(root)) mkdirSync(root)
      const files = { 'db.sqlite.zst': randomBytes(bytes), 'files.tar.zst': randomBytes(bytes) }
      const folder = writeBackupOfNothing(root, 'demo', made, files, 'idemo000')
      return folder.slice(root.length + 1)
    },
  }
}

/** Copies of the manager go to another target than backups of instances. */
function besideManagers(target: BackupTarget, managers: BackupTarget): BackupTarget {
  const of = (key = '') => (key.startsWith(managerPrefix) ? managers : target)
  return {
    ...target,
    capabilities: target.capabilities,
    put: (key, ...rest) => of(key).put(key, ...rest),
    get: (key, ...rest) => of(key).get(key, ...rest),
    stat: (key, ...rest) => of(key).stat(key, ...rest),
    delete: (key, ...rest) => of(key).delete(key, ...rest),
    list: (options) => of(options?.prefix).list(options),
    sweep: (options) => of(options.prefix).sweep(options),
    close: () => target.close(),
  }
}

/** A manager with the target `nas` and a made-up backup of `demo`, whose files have a mebibyte each. */
export interface ManagerWithBackup extends ManagerWithStore {
  /** Key of the backup. */
  readonly key: string
}

export async function createManagerWithBackup(): Promise<ManagerWithBackup> {
  const test = await createManagerWithStore()
  return { ...test, key: test.madeUp(new Date(), 1 << 20) }
}
