import { compareVersions } from '../domain/versions.js'
import { limitsOf } from './limits.js'
import type { VersionSettings } from './settings.js'
import type { versionTable } from './tables/version.js'
import type { VariableValues } from './variable-values.js'

/**
 * The requirements force `APPS_AUTOUPGRADE` to false below version 4.0. That is about versions of the platform that runs
 * on Java, whereas versions of applications for Node start at 1.0 and always migrate their data themselves; so it holds
 * for versions that declare `APPS_JDK`, as do the defaults of memory, which are those of a JVM.
 */
export function versionSettingsOf(
  version: string,
  { value }: VariableValues<typeof versionTable>,
  passedOn: Readonly<Record<string, string>>,
): VersionSettings {
  const jdk = value('APPS_JDK')
  const isJava = jdk !== undefined
  return {
    template: value('APPS_TEMPLATE'),
    runtime: value('APPS_RUNTIME'),
    jdk,
    tomcat: value('APPS_TOMCAT'),
    encoding: value('APPS_ENCONDING'),
    autoUpgrade: value('APPS_AUTOUPGRADE') && !(isJava && compareVersions(version, '4.0') < 0),
    minMemoryMb: value('APPS_TOMCATMINMEM') ?? (isJava ? 128 : undefined),
    maxMemoryMb: value('APPS_TOMCATMAXMEM') ?? (isJava ? 512 : undefined),
    limits: limitsOf(value, 'APPS'),
    passedOn,
  }
}
