import { ManagerError } from '../../../errors.js'
import { renderFiles } from '../../proxies/render-files.js'
import type { ReverseProxy } from '../../proxies/reverse-proxy.js'
import type { ProxySettings } from '../../settings/settings.js'
import { identify, type ProcessIdentity } from '../../system/process-identity.js'
import { act, inTurn, machine, under } from './machine.js'
import { refusalOf, reload, settled } from './proxy.js'

/** The reverse proxy of the simulated machine, with the contract of the real ones. */
export function createNginx({ settings: { folder } }: { readonly settings: ProxySettings }): ReverseProxy {
  const failed = (what: string) => new ManagerError('ERR_FAILED', `The reverse proxy cannot be ${what}.`)
  return {
    type: 'nginx',
    version: () => inTurn(() => '1.0.0'),
    render: (publication, { id }) =>
      renderFiles(publication, JSON.stringify({ id }), ({ host, places }) => [
        `${host} {`,
        ...places.map(({ path, upstream, instance, waker }) =>
          JSON.stringify({ path, port: upstream?.port, instance: instance?.id, wakes: waker !== undefined }),
        ),
        '}',
      ]),
    test: (staged) =>
      under(
        // One that does not run tests all the same.
        machine.state.proxy.condition === 'down' ? 'well' : machine.state.proxy.condition,
        () => refusalOf(staged),
        () => new Error('no memory'),
      ).catch((error: Error) => ({ message: error.message, output: error.message })),
    reload: () =>
      under(
        machine.state.proxy.condition,
        () => act('reload the reverse proxy', () => reload(folder)),
        () => failed('reloaded'),
      ),
    workers: () =>
      inTurn(() => {
        const { condition, worker, retiring, now } = { ...settled(), now: machine.state.now }
        if (condition === 'down') return undefined
        const pids = [worker, ...[...retiring].flatMap(([pid, end]) => (end > now ? [pid] : []))]
        return pids.map((pid) => identify(pid) as ProcessIdentity)
      }),
    isEnding: ({ pid }) => settled().worker !== pid,
  }
}
