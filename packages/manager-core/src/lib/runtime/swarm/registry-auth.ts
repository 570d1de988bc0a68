import { readFileSync, statSync } from 'node:fs'
import { ManagerError } from '../../../errors.js'
import { fileError } from '../../files/file-error.js'

export interface RegistryAccount {
  readonly registry: string | undefined
  readonly user: string | undefined
  /** Its only line is the password. */
  readonly passwordFile: string | undefined
}

/**
 * Header by which the engine authenticates at the registry, for itself and for all nodes; none for a registry without a
 * password. The file is read each time: a new password holds from the next start on.
 *
 * @throws ManagerError ERR_SETTINGS, which never holds the password
 */
export function registryAuth({ registry, user, passwordFile }: RegistryAccount): Readonly<Record<string, string>> {
  if (user === undefined && passwordFile === undefined) return {}
  if (registry === undefined || user === undefined || passwordFile === undefined)
    throw new ManagerError('ERR_SETTINGS', 'The account of the registry of the swarm is incomplete.', {
      help: 'Set APPS_SWARM_REGISTRY, APPS_SWARM_REGISTRY_USER and APPS_SWARM_REGISTRY_PASSWORD_FILE in config.sh.',
    })
  const account = { username: user, password: passwordIn(passwordFile), serveraddress: registry }
  // The engine takes the alphabet of URLs, but with the padding.
  const text = Buffer.from(JSON.stringify(account)).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
  return { 'X-Registry-Auth': text }
}

function passwordIn(file: string): string {
  let password: string
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new ManagerError('ERR_SETTINGS', `Other users may read the password of the registry in ${file}.`, {
        help: `Let only its owner read it: chmod 600 ${file}`,
      })
    password = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw fileError(error, `Cannot read APPS_SWARM_REGISTRY_PASSWORD_FILE ${file}`)
  }
  if (password !== '') return password
  throw new ManagerError('ERR_SETTINGS', `The password of the registry is missing: ${file} is empty.`)
}
