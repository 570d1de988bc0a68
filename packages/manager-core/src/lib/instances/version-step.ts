import type { Step } from '../context.js'
import type { Instance } from '../domain/instance.js'

export type InstanceVersion = Pick<Instance, 'version' | 'versionDate' | 'revision'> &
  // Absent: none was recorded beside it.
  Partial<Pick<Instance, 'installedVersion'>>

/** Before it is started: how it runs depends on its version. */
export function versionStep(id: string, version: InstanceVersion, before: InstanceVersion): Step {
  const set =
    ({ version: name, versionDate, revision, installedVersion = '' }: InstanceVersion): Step['do'] =>
    async ({ context }) =>
      context.registry.transaction((writer) =>
        writer.updateInstance(id, { version: name, versionDate, revision, installedVersion }),
      )
  return {
    id: 'version',
    title: `Set its version to ${version.version}`,
    do: set(version),
    undo: async (run) => void (await set(before)(run)),
    check: () => 'not-done',
  }
}

/** The application that an instance has, whatever version was recorded for its next upgrade. */
export function installedOf({
  version,
  versionDate,
  revision,
  installedVersion = '',
}: InstanceVersion): InstanceVersion {
  return { version: installedVersion === '' ? version : installedVersion, versionDate, revision }
}
