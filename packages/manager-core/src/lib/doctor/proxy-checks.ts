import { fullGrant } from '../domain/grant.js'
import { isPublishedByPath, type StandardUrlSettings } from '../settings/public-url.js'
import type { DoctorCheck, Finding } from './check.js'

const caller = { actor: 'doctor', surface: 'cli', grant: fullGrant } as const

const sharedOrigin: Finding = {
  level: 'warning',
  message:
    'Instances are published at paths of the manager’s own host, so their pages can act on behalf of users who ' +
    'are logged in to the manager.',
  help: 'Set APPS_INSTANCESURL to an address on another host, or use APPS_ROOTCONTEXT=true with a host name in APPS_BASEURL.',
}

function isSharedOrigin(settings: StandardUrlSettings): boolean {
  return isPublishedByPath(settings) && new URL(settings.instancesUrl).hostname === new URL(settings.baseUrl).hostname
}

export const proxyChecks: readonly DoctorCheck[] = [
  {
    id: 'reverse-proxy',
    category: 'system',
    title: 'The reverse proxy publishes the instances',
    async run({ proxies, settings }) {
      const { enabled, running, type } = await proxies.status()
      if (!enabled) return [{ level: 'ok', message: 'No reverse proxy publishes the instances (APPS_PROXY=no)' }]
      if (!running)
        return [
          {
            level: 'error',
            message: `${type} is not running, so instances are not published.`,
            help: `Start ${type}.`,
          },
        ]
      const shared = isSharedOrigin(settings.global) ? [sharedOrigin] : []
      const { refusal, problems, isDue } = await proxies.check(caller)
      if (refusal !== undefined)
        return [
          ...shared,
          { level: 'error', message: `Changes cannot be published: ${refusal}.`, help: 'See proxy check.' },
        ]
      const due: Finding = {
        level: 'error',
        message: 'The published configuration is out of date.',
        help: 'Publish it again: manager proxy publish',
        async fix() {
          await proxies.publish(caller, { repair: true })
          return 'It is published.'
        },
      }
      return [
        ...shared,
        ...problems.map(({ message }): Finding => ({ level: 'warning', message })),
        ...(isDue ? [due] : []),
      ]
    },
  },
]
