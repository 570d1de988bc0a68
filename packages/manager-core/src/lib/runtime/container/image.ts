import { ManagerError } from '../../../errors.js'
import type { ContainerEngine, EngineLine } from './engine.js'
import { makeLocalImage, localImageName } from './local-image.js'

export interface Image {
  readonly name: string
  readonly id: string
  /** Folder of the manager's programs in it, at the path that they have outside; undefined: it has none. */
  readonly programs?: string | undefined
}

/** Label of an image that has the manager's programs. */
const programsLabel = 'steward.programs'

interface FoundImage {
  readonly Id: string
  readonly Config?: { readonly Labels?: Readonly<Record<string, string>> | null }
}

export interface ImageOptions {
  /** `node:24-slim`; undefined: one that is made from this machine's own Node. */
  readonly wanted: string | undefined
  readonly onProgress?: ((text: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** The image that containers are made from; pulled or made when it is not there. */
export async function imageOf(engine: ContainerEngine, options: ImageOptions): Promise<Image> {
  const { wanted } = options
  const found = await findImage(engine, wanted ?? (await localImageName()))
  return found ?? pullImage(engine, options)
}

/** The same, and the newest that the registry has. */
export async function pullImage(engine: ContainerEngine, options: ImageOptions): Promise<Image> {
  const { wanted, onProgress, signal } = options
  if (wanted === undefined) await makeLocalImage(engine, { onProgress, signal })
  else await pull(engine, wanted, options)
  const name = wanted ?? (await localImageName())
  const made = await findImage(engine, name)
  if (made) return made
  throw new ManagerError('ERR_FAILED', `The container engine has no image "${name}" after all.`)
}

export async function findImage(engine: ContainerEngine, name: string): Promise<Image | undefined> {
  const found = await engine.ask<FoundImage>('GET', `/images/${name}/json`, { besides: [404] })
  return found && { name, id: found.Id, programs: found.Config?.Labels?.[programsLabel] }
}

async function pull(engine: ContainerEngine, wanted: string, { onProgress, signal }: ImageOptions): Promise<void> {
  // Without a tag the engine would take all.
  const isExact = /:[^/]*$|@/.test(wanted)
  const query = { fromImage: isExact ? wanted : `${wanted}:latest` }
  try {
    await engine.follow('/images/create', { query, signal }, (line) => {
      const text = progressText(line)
      if (text !== undefined) onProgress?.(text)
    })
  } catch (error) {
    if (!ManagerError.is(error) || error.code !== 'ERR_FAILED') throw error
    throw new ManagerError(
      'ERR_FAILED',
      `The image "${wanted}" cannot be pulled: ${error.message.replace(/^.*?: /, '')}`,
      {
        cause: error,
        help:
          'Check the spelling of APPS_CONTAINER_IMAGE, and that this machine can reach the registry. Without ' +
          "APPS_CONTAINER_IMAGE, an image is built from this machine's Node.",
      },
    )
  }
}

/** A part that is done; not each piece of it. */
function progressText({ status, id, progressDetail }: EngineLine): string | undefined {
  if (status === undefined || progressDetail?.total !== undefined) return undefined
  return id === undefined ? status : `${id}: ${status}`
}
