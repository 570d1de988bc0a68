import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import type { GlobalSettings, InstanceSettings } from '../settings/settings.js'
import { globalTable } from '../settings/tables/global.js'
import type { LintedApplication } from './analysed-application.js'
import { createLocalQuality } from './local/local-quality.js'
import type { QualityServer, QualityServerOptions, QualityServerPlugin } from './quality-server.js'
import { createSonarqubeQuality, type SonarqubeOptions } from './sonarqube/sonarqube-quality.js'

type Settings = Pick<GlobalSettings, 'baseUrl'> & { readonly quality: Omit<GlobalSettings['quality'], 'server'> }

/**
 * What analyses an instance: the plug-in or server of the settings, else this machine.
 *
 * @returns also a sentence for the user when no server is set
 */
export function qualityOf(
  context: ManagerContext,
  application: LintedApplication,
  own: Pick<InstanceSettings, 'quality'>,
): { readonly server: QualityServer; readonly note?: string } {
  const { global } = context.settings
  const plugin = pluginServer(context, application.instance, own)
  if (plugin) return { server: plugin }
  const options = sonarqubeOptions(global, application.instance, own)
  if (options) return { server: createSonarqubeQuality(options) }
  return {
    server: createLocalQuality({ context, application, timeoutMs: global.quality.timeoutMs }),
    note: 'No quality server is set (APPS_QUALITY_LOGIN, APPS_QUALITY_URL): analysed on this machine.',
  }
}

/** That of the package in `APPS_QUALITY_SERVER`; undefined: none is set. @throws ManagerError ERR_SETTINGS */
export function pluginServer(
  { settings, plugins }: Pick<ManagerContext, 'settings' | 'plugins'>,
  instance: Pick<Instance, 'name'>,
  own: Pick<InstanceSettings, 'quality'> = {},
): QualityServer | undefined {
  const { server } = settings.global.quality
  if (server === undefined) return undefined
  const plugin = plugins.load('qualityServer', server, 'APPS_QUALITY_SERVER') as QualityServerPlugin
  try {
    return plugin.open(serverOptions(settings.global, instance, own))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ManagerError('ERR_SETTINGS', `The quality server "${server}" cannot be used: ${reason}`, { cause: error })
  }
}

/** undefined: no server is set, or only the address of the public one, which takes nothing without a token. */
export function sonarqubeOptions(
  settings: Settings,
  instance: Pick<Instance, 'name'>,
  own: Pick<InstanceSettings, 'quality'> = {},
): SonarqubeOptions | undefined {
  const options = serverOptions(settings, instance, own)
  if (options.login === undefined && options.url === globalTable.APPS_QUALITY_URL.default) return undefined
  return { ...options, scanner: settings.quality.scanner }
}

function serverOptions(
  { baseUrl, quality }: Settings,
  instance: Pick<Instance, 'name'>,
  { quality: own }: Pick<InstanceSettings, 'quality'>,
): QualityServerOptions & { readonly url: string } {
  // A password belongs to the login that it was given with.
  const { login, password } = own?.login === undefined ? quality : own
  return {
    url: own?.url ?? quality.url,
    login,
    password,
    organization: own?.organization ?? quality.organization,
    timeoutMs: quality.timeoutMs,
    project: own?.project ?? `${slugOf(baseUrl)}-${instance.name}`,
  }
}

/** `https://apps.example.org:8443/x` → `apps.example.org-8443-x` */
function slugOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`.replace(/[^\w.]+/g, '-').replace(/^-|-$/g, '')
}
