import { ManagerError } from '../../errors.js'
import type { OperationKind } from '../context.js'
import { compareVersions, isSameVersion } from '../domain/versions.js'
import { existing } from '../instances/existing.js'

export type SetVersionRequest = { readonly id: string; readonly name: string; readonly version: string }

type SetVersionFacts = {
  readonly name: string
  readonly from: string
  /** Before that of the new version, whatever it was: an upgrade is needed. */
  readonly versionDate: string
  /** Version of the application that it has. */
  readonly installed: string
}

/**
 * Changes the version that is recorded for an instance; the next upgrade moves it there. Only upwards: an older one
 * could not read its data. Source: docs/spec/instances-manager.md, "States and transitions".
 */
export const setVersionKind: OperationKind<SetVersionRequest, SetVersionFacts> = {
  kind: 'setversion',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, name, version: wanted }, { registry, templates }) {
    const instance = existing(registry, { id, name })
    const { version, date } = await templates.get(wanted)
    if (isSameVersion(version, instance.version) || compareVersions(version, instance.version) < 0)
      throw new ManagerError(
        'ERR_STATE',
        `Instance "${instance.name}" has version ${instance.version}; ${version} is not higher.`,
        { help: 'Versions can only increase, because an older one could not read the data.', command: 'versions' },
      )
    const dayBefore = new Date(Date.parse(date) - 86_400_000).toISOString()
    const versionDate = instance.versionDate < date ? instance.versionDate : dayBefore
    const installed = instance.installedVersion || instance.version
    return { name: instance.name, from: instance.version, versionDate, installed }
  },
  plan: ({ id, version }, { name, from, versionDate, installed }) => ({
    title: `Set the version of instance "${name}" from ${from} to ${version}`,
    instance: { id, name },
    steps: [],
    notes: ['It keeps running its current version until it is upgraded.'],
    commit: (registry) => registry.updateInstance(id, { version, versionDate, installedVersion: installed }),
  }),
}
