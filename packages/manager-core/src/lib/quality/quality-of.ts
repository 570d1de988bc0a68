import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import type { GlobalSettings, InstanceSettings } from '../settings/settings.js'
import { globalTable } from '../settings/tables/global.js'
import type { LintedApplication } from './analysed-application.js'
import { createLocalQuality } from './local/local-quality.js'
import type { QualityServer } from './quality-server.js'
import { createSonarqubeQuality, type SonarqubeOptions } from './sonarqube/sonarqube-quality.js'

type Settings = Pick<GlobalSettings, 'baseUrl' | 'quality'>

/**
 * What analyses an instance: the server of the settings, else this machine.
 *
 * @returns also a sentence for the user when no server is set
 */
export function qualityOf(
  context: ManagerContext,
  application: LintedApplication,
  own: Pick<InstanceSettings, 'quality'>,
): { readonly server: QualityServer; readonly note?: string } {
  const { global } = context.settings
  const options = sonarqubeOptions(global, application.instance, own)
  if (options) return { server: createSonarqubeQuality(options) }
  return {
    server: createLocalQuality({ context, application, timeoutMs: global.quality.timeoutMs }),
    note: 'No quality server is set (APPS_QUALITY_LOGIN, APPS_QUALITY_URL): analysed on this machine.',
  }
}

/** undefined: no server is set, or only the address of the public one, which takes nothing without a token. */
export function sonarqubeOptions(
  { baseUrl, quality }: Settings,
  instance: Pick<Instance, 'name'>,
  { quality: own }: Pick<InstanceSettings, 'quality'> = {},
): SonarqubeOptions | undefined {
  const url = own?.url ?? quality.url
  // A password belongs to the login that it was given with.
  const { login, password } = own?.login === undefined ? quality : own
  if (login === undefined && url === globalTable.APPS_QUALITY_URL.default) return undefined
  return {
    url,
    login,
    password,
    organization: own?.organization ?? quality.organization,
    scanner: quality.scanner,
    timeoutMs: quality.timeoutMs,
    project: own?.project ?? `${slugOf(baseUrl)}-${instance.name}`,
  }
}

/** `https://apps.example.org:8443/x` → `apps.example.org-8443-x` */
function slugOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`.replace(/[^\w.]+/g, '-').replace(/^-|-$/g, '')
}
