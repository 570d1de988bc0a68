import { readdir } from 'node:fs/promises'
import type { ManagerContext } from '../context.js'
import { ManagerError } from '../../errors.js'
import { needJdk } from '../application/webapp-spec.js'
import { configuredVersions } from '../domain/home.js'
import { isWebapp } from '../files/webapp.js'
import { faultsOf } from '../runtime/tomcat/check-installation.js'
import type { DoctorCheck } from './check.js'

export const javaChecks: readonly DoctorCheck[] = [
  {
    id: 'java',
    category: 'instances',
    title: 'Java web applications have their JDK and Tomcat',
    async run(context) {
      const users = await versionsOfWebapps(context)
      const faults = await Promise.all(
        [...users].map(async ([version]) => ({ version, found: await faultsOfVersion(context, version) })),
      )
      // Versions that name the same folders share what is wrong with them.
      const byMessage = Map.groupBy(
        faults.flatMap(({ version, found }) => found.map((fault) => ({ version, fault }))),
        ({ fault }) => fault.message,
      )
      return [...byMessage].map(([message, all]) => {
        const names = all.flatMap(({ version }) => users.get(version) ?? [])
        const needing = names.length > 0 ? names : all.map(({ version }) => `version ${version}`)
        const help = all[0]?.fault.help
        return {
          level: names.length > 0 ? 'error' : 'warning',
          message: `${message} Needed by ${needing.join(', ')}.`,
          ...(help !== undefined && { help }),
        }
      })
    },
  },
]

/** Versions whose applications are for Java, each with its instances. */
async function versionsOfWebapps({
  registry,
  home,
  settings,
  templates,
}: ManagerContext): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (const version of await declaredVersions({ home, settings })) found.set(version, [])
  for (const { version, folder } of await templates.list()) if (isWebapp(folder)) found.set(version, [])
  for (const { id, name, version } of registry.instances())
    if (isWebapp(home.instance(id).app)) found.set(version, [...(found.get(version) ?? []), name])
  return found
}

/** Versions whose settings say that they run on Java, whether or not their template has been fetched. */
async function declaredVersions({ home, settings }: Pick<ManagerContext, 'home' | 'settings'>): Promise<string[]> {
  const declared: string[] = []
  for (const version of configuredVersions(await readdir(home.folder))) {
    // Settings that cannot be read are the finding of another check.
    const own = await settings.version(version).catch(() => undefined)
    if (own && (own.jdk !== undefined || own.runtime === 'tomcat')) declared.push(version)
  }
  return declared
}

async function faultsOfVersion({ settings }: ManagerContext, version: string): Promise<readonly ManagerError[]> {
  try {
    const { jdk, tomcat } = await settings.version(version)
    return await faultsOf({ java: needJdk(version, jdk), home: tomcat })
  } catch (error) {
    if (ManagerError.is(error)) return [error]
    throw error
  }
}
