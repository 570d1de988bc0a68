import { ManagerError } from '../../errors.js'

/** Names of folders of backups; all else is left alone. */
const pattern = /^\d{8}T\d{6}Z-.+-[a-z0-9]{8}$/

/** Whether the last part of a key looks like one of a backup. */
export function isBackupId(text: string): boolean {
  return pattern.test(text)
}

/** `20261121T030000Z-1.0-abcdefgh` of `demo/20261121T030000Z-1.0-abcdefgh` */
export function lastPart(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}

/** Name of the instance in the key of a backup: `demo`. */
export function nameIn(key: string): string {
  return key.slice(0, key.indexOf('/'))
}

/** Newest first. */
export function newestFirst<Backup extends { readonly key: string }>(backups: readonly Backup[]): readonly Backup[] {
  return backups.toSorted((a, b) => compare(lastPart(b.key), lastPart(a.key)))
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Whether a key is meant by a text: the start or the end of its last part. */
export function isMeant(key: string, wanted: string): boolean {
  return wanted !== '' && (lastPart(key).startsWith(wanted) || key.endsWith(`-${wanted}`))
}

export interface Choice<Backup> {
  /** Newest first. */
  readonly backups: readonly Backup[]
  /** Those whose manifest is damaged. */
  readonly damaged: readonly { readonly key: string; readonly error: ManagerError }[]
  /** Name of the instance. */
  readonly owner: string
  /** `latest`, or see {@link isMeant}. */
  readonly wanted: string
  /** Where they are, for errors: ` at "scp"`; empty: here. */
  readonly where: string
  /** What makes the first one: `save demo`. */
  readonly first: string
  /** What else there may be, one sentence. */
  readonly help?: string | undefined
  /** What lists them. */
  readonly list: string
}

/** @throws ManagerError ERR_NOT_FOUND, ERR_USAGE (several), ERR_BACKUP (its manifest is damaged) */
export function chooseBackup<Backup extends { readonly key: string }>(choice: Choice<Backup>): Backup {
  const { backups, damaged, owner, wanted, where, first: makeFirst, help, list } = choice
  const found = wanted === 'latest' ? backups.slice(0, 1) : backups.filter(({ key }) => isMeant(key, wanted))
  const [first, second] = found
  if (first && !second) return first
  if (second)
    throw new ManagerError('ERR_USAGE', `"${wanted}" matches ${found.length} backups of "${owner}"${where}.`, {
      command: list,
    })
  const broken = damaged.find(({ key }) => isMeant(key, wanted))
  if (broken) throw broken.error
  throw new ManagerError(
    'ERR_NOT_FOUND',
    wanted === 'latest'
      ? `No backup of "${owner}" was found${where}.`
      : `No backup "${wanted}" of "${owner}" was found${where}.`,
    { command: wanted === 'latest' ? makeFirst : list, ...(help !== undefined && { help }) },
  )
}
