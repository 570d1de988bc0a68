import { ManagerError } from '../../errors.js'
import { databaseTypes, formerRuntime } from '../domain/instance.js'
import { checkName, isInstanceId } from '../domain/names.js'
import { faultOfOwner, type Owner } from '../domain/owner.js'
import type { BackedUpInstance, Manifest } from './backup.js'

/** Not specified; chosen: above what any of these texts is. */
const maxLength = 2000
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * What an instance was, for the registry: each field that the manifest of a backup brings is of its type and one line of
 * visible text. Someone who can write where backups are kept may have written it. What cannot be an owner is left out.
 *
 * @throws ManagerError ERR_BACKUP naming a field that is not of its type
 */
export function savedInstance({ id: backup, instance }: Pick<Manifest, 'id' | 'instance'>): BackedUpInstance {
  const given = instance as unknown as Readonly<Record<string, unknown>>
  const wrong = (field: string) =>
    new ManagerError(
      'ERR_BACKUP',
      `The manifest of the backup ${backup} is wrong: its instance has no valid "${field}".`,
      {
        help: 'Restore another backup.',
        command: 'backups list',
      },
    )
  const text = (field: keyof BackedUpInstance, absent?: string): string => {
    const value = given[field] ?? absent
    if (typeof value !== 'string') throw wrong(field)
    return value.replaceAll(invisible, '').slice(0, maxLength)
  }
  const flag = (field: keyof BackedUpInstance): boolean => {
    const value = given[field]
    if (typeof value !== 'boolean') throw wrong(field)
    return value
  }
  const owner = (field: keyof Owner): string => {
    const value = text(field, '')
    return faultOfOwner(field, value) === undefined ? value : ''
  }
  const [id, name, database] = [text('id'), text('name'), databaseTypes.find((type) => type === given['database'])]
  if (!isInstanceId(id)) throw wrong('id')
  if (!database) throw wrong('database')
  try {
    checkName(name)
  } catch {
    throw wrong('name')
  }
  return {
    id,
    name,
    database,
    version: text('version'),
    versionDate: text('versionDate', ''),
    revision: text('revision', ''),
    desired: given['desired'] === 'stopped' ? 'stopped' : 'started',
    protected: flag('protected'),
    autoUpdate: flag('autoUpdate'),
    autoSave: flag('autoSave'),
    customUrl: text('customUrl', ''),
    source: text('source', ''),
    ownerEmail: owner('ownerEmail'),
    firstname: owner('firstname'),
    lastname: owner('lastname'),
    phone: owner('phone'),
    company: owner('company'),
    created: text('created'),
    updated: text('updated', ''),
    runtime: text('runtime', formerRuntime),
  }
}
