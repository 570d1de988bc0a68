import { realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../../errors.js'
import { programPath } from '../../system/run.js'
import { createContainerEngine, type ContainerEngine } from '../container/engine.js'
import { imageOf } from '../container/image.js'
import { librariesOf } from '../container/local-image.js'
import type { SwarmPlace } from './init.js'
import { managerId, swarmLabels } from './names.js'
import { engineInfo, ourSwarm } from './swarm.js'
import { addressOf, nodesOf } from './tasks.js'

export interface RegistryOptions {
  /** On all addresses of this machine. */
  readonly port: number
  readonly signal?: AbortSignal | undefined
}

const name = 'steward-registry'
/** Where the images are in its container, in a volume of the engine. */
const folder = '/var/lib/registry'
/** Without the program of this machine. */
const publicImage = 'registry:2'
const program = 'docker-registry'

const configuration = `version: 0.1
log: {level: warn}
storage: {filesystem: {rootdirectory: ${folder}}, delete: {enabled: true}}
http: {addr: ':5000'}
`

interface Found {
  readonly Id: string
  readonly State: { readonly Running: boolean }
  readonly Config: { readonly Labels?: Readonly<Record<string, string>> | null }
}

/**
 * Runs a registry for the nodes of the swarm in the engine of this machine, which starts it again after a boot. May be
 * repeated. It is the program of this machine where that is installed, else the image of its makers.
 *
 * @returns its address for APPS_SWARM_REGISTRY
 * @throws ManagerError
 */
export async function startRegistry(
  { socket, instances }: SwarmPlace,
  { port, signal }: RegistryOptions,
): Promise<string> {
  const engine = createContainerEngine(socket)
  const manager = managerId(instances)
  await ourSwarm(engine, manager)
  const found = await engine.ask<Found>('GET', `/containers/${name}/json`, { besides: [404] })
  if (found && found.Config.Labels?.[swarmLabels.manager] !== manager)
    throw new ManagerError('ERR_STATE', `The container "${name}" exists, but does not belong to this manager.`, {
      help: `Rename it, e.g. with "docker rename ${name} other", or remove it.`,
    })
  if (found) await engine.ask('DELETE', `/containers/${found.Id}`, { query: { force: 'true' }, besides: [404] })
  const isOwn = programPath(program) !== undefined
  const image = isOwn ? await ownImage(engine, signal) : (await imageOf(engine, { wanted: publicImage, signal })).id
  const body = {
    Image: image,
    ...(isOwn && { Entrypoint: ['/usr/bin/docker-registry', 'serve', '/etc/registry.yml'] }),
    Env: [`REGISTRY_HTTP_ADDR=:${port}`],
    Labels: { [swarmLabels.manager]: manager },
    HostConfig: {
      NetworkMode: 'host',
      RestartPolicy: { Name: 'always' },
      Mounts: [{ Type: 'volume', Source: name, Target: folder }],
      SecurityOpt: ['no-new-privileges'],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  }
  await engine.ask('POST', '/containers/create', { query: { name }, body })
  await engine.ask('POST', `/containers/${name}/start`)
  await stays(engine)
  const { Swarm } = await engineInfo(engine)
  const node = (await nodesOf(engine)).get(Swarm?.NodeID ?? '')
  return `${(node && addressOf(node)) ?? '127.0.0.1'}:${port}`
}

/** @throws ManagerError ERR_FAILED with what it said, when it ended at once */
async function stays(engine: ContainerEngine): Promise<void> {
  for (let looks = 0; looks < 5; looks++) {
    await sleep(100)
    const found = await engine.ask<Found>('GET', `/containers/${name}/json`)
    if (found?.State.Running !== true)
      throw new ManagerError('ERR_FAILED', `The registry does not run: ${await engine.outputOf(name)}`, {
        help: 'Use another port if this one is taken: swarm registry --port 5001',
      })
  }
}

/** Has the program of this machine with the libraries that it loads. @returns its id */
async function ownImage(engine: ContainerEngine, signal: AbortSignal | undefined): Promise<string> {
  const path = realpathSync(programPath(program) ?? program)
  const { packTar } = await import('modern-tar/fs')
  const files = [{ target: 'usr/bin/docker-registry', source: path }].concat(
    (await librariesOf(path)).map((file) => ({ target: file.slice(1), source: realpathSync(file) })),
  )
  const texts = { 'etc/registry.yml': configuration, 'tmp/.keep': '', 'var/lib/registry/.keep': '' }
  const owner = { uid: 0, gid: 0 }
  const body = packTar([
    ...files.map((file) => ({ type: 'file' as const, ...file, ...owner, mode: 0o755 })),
    ...Object.entries(texts).map(([target, content]) => ({
      type: 'content' as const,
      target,
      content,
      ...owner,
      mode: 0o644,
    })),
  ])
  await engine.follow('/images/create', { query: { fromSrc: '-', repo: name }, body, signal }, () => undefined)
  return name
}
