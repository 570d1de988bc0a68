import { ManagerError } from '../../../errors.js'
import type { Json } from '../../domain/json.js'
import type { GlobalSettings } from '../../settings/settings.js'
import { programPath } from '../../system/run.js'
import { servingCopy } from '../copies.js'
import type { InstanceRef } from '../runtime.js'
import { createContainerEngine } from './engine.js'
import { findImage, pullImage, type Image, type ImageOptions } from './image.js'
import { localImageName } from './local-image.js'
import { findContainer, isUp } from './look.js'
import { containerName } from './names.js'

type ContainerSettings = GlobalSettings['containers']

/** What an operator wants to know of the engine. */
export async function describeEngine({ socket, image, network }: ContainerSettings) {
  const engine = createContainerEngine(socket)
  const { Version = '' } = (await engine.ask<{ readonly Version?: string }>('GET', '/version')) ?? {}
  const name = image ?? (await localImageName())
  const found = await findImage(engine, name)
  return {
    message: `Engine ${Version} at ${socket}.`,
    socket,
    engine: Version,
    image: name,
    image_id: found?.id ?? '',
    source: image === undefined ? 'made from the Node of this machine' : 'registry',
    network,
  }
}

/** @throws ManagerError */
export function pullFor(
  { socket, image }: ContainerSettings,
  options: Pick<ImageOptions, 'onProgress' | 'signal'>,
): Promise<Image> {
  return pullImage(createContainerEngine(socket), { ...options, wanted: image })
}

/** @throws ManagerError ERR_NOT_FOUND when it has no container */
export async function inspectInstance({ socket }: ContainerSettings, ref: InstanceRef): Promise<Json> {
  const found = await findContainer(createContainerEngine(socket), ref, servingCopy(ref.folder))
  if (found) return found as unknown as Json
  throw new ManagerError('ERR_NOT_FOUND', `Instance ${ref.id} has no container yet. Its first start creates it.`)
}

/** The engine's own program does it. @throws ManagerError ERR_STATE when that is not there, or the container does not run */
export async function shellIn({ socket }: ContainerSettings, ref: InstanceRef) {
  const copy = servingCopy(ref.folder)
  const found = await findContainer(createContainerEngine(socket), ref, copy)
  if (!isUp(found?.State.Status))
    throw new ManagerError('ERR_STATE', `The container of instance ${ref.id} is not running. Start the instance first.`)
  const command = programPath('docker')
  if (command === undefined)
    throw new ManagerError('ERR_STATE', 'The shell requires the program "docker", which is not installed.', {
      help: 'Install it (docker.io or docker-cli on Debian).',
    })
  const terminal = process.stdin.isTTY ? ['--tty'] : []
  const args = [`--host=unix://${socket}`, 'exec', '--interactive', ...terminal, containerName(ref, copy), '/bin/sh']
  return { command, args, environment: {} }
}
