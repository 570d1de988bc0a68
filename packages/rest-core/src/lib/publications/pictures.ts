import { buffer } from 'node:stream/consumers'
import { RestError } from '../../errors.js'
import type { DocumentStore } from '../documents/document-store.js'
import { shrinkPicture } from '../documents/thumbnail.js'
import type { BusinessRecord } from '../model/model.js'
import type { Caller } from '../caller.js'
import { pictureKey } from './template-data.js'
import type { Pictures, TemplateNeeds } from './template-data.js'

/** Most bytes of the pictures of one document, so that a list of large ones does not fill the memory. */
export const mostPictureBytes = 64 * 2 ** 20
/** Longest side in pixels of a thumbnail in a document. */
const thumbnailPixels = 200
/** Longest side in pixels of a picture in documents that need PNG or JPEG (docx, pdf). */
const documentPixels = 1600

/** A picture that documents can hold. */
export interface Picture {
  readonly bytes: Buffer
  readonly mime: 'image/png' | 'image/jpeg'
  readonly width: number
  readonly height: number
  readonly name: string
}

/** How a document shows a picture. */
export interface PictureUse {
  readonly thumbnail: boolean
  /** Who waits for the document. */
  readonly caller: Caller
  /** Counts its bytes, see `pictureBudget`. */
  readonly spend: (bytes: number) => void
}

/** Counts bytes of pictures. @throws RestError ERR_BAD_REQUEST when there are too many */
export function pictureBudget(): (bytes: number) => void {
  let left = mostPictureBytes
  return (bytes) => {
    left -= bytes
    if (left < 0)
      throw new RestError(
        'ERR_BAD_REQUEST',
        `The pictures of these records are larger than ${mostPictureBytes} bytes in all; choose fewer records.`,
      )
  }
}

/** The pictures that a template shows, as data URIs; what is not a picture is left out. */
export async function templatePictures(
  documents: DocumentStore | undefined,
  { pictures: uses }: TemplateNeeds,
  records: readonly BusinessRecord[],
  { portable, caller }: { readonly portable: boolean; readonly caller: Caller },
): Promise<Pictures> {
  const pictures = new Map<string, { uri: string; name: string }>()
  const spend = pictureBudget()
  for (const record of uses.length > 0 ? records : []) {
    for (const { field, thumbnail } of uses) {
      const id = record[field]
      if (typeof id !== 'string' || id === '' || !documents) continue
      const key = pictureKey(id, thumbnail)
      if (pictures.has(key)) continue
      const uri = await dataUri(documents, id, { thumbnail, portable, caller, spend })
      if (uri) pictures.set(key, { uri, name: (await documents.info(id))?.name ?? '' })
    }
  }
  return pictures
}

async function dataUri(
  documents: DocumentStore,
  id: string,
  { thumbnail, portable, caller, spend }: PictureUse & { readonly portable: boolean },
): Promise<string | undefined> {
  if (portable) {
    const picture = await loadPicture(documents, id, { thumbnail, caller, spend })
    return picture && uriOf(picture.mime, picture.bytes)
  }
  if (thumbnail) {
    const bytes = await documents.thumbnail(id, thumbnailPixels, caller)
    if (bytes) spend(bytes.length)
    return bytes && uriOf('image/webp', bytes)
  }
  const info = await documents.info(id)
  if (!info || !/^image\/[a-z0-9.+-]+$/i.test(info.mime)) return undefined
  spend(info.size)
  return uriOf(info.mime, await buffer(await documents.read(id)))
}

function uriOf(mime: string, bytes: Uint8Array): string {
  return `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`
}

/** A picture as PNG or JPEG, made smaller when it is large; `undefined` for what is none. */
export async function loadPicture(
  documents: DocumentStore,
  id: string,
  { thumbnail, caller, spend }: PictureUse,
): Promise<Picture | undefined> {
  const info = await documents.info(id)
  if (!info || !info.mime.startsWith('image/')) return undefined
  spend(info.size)
  const pixels = thumbnail ? thumbnailPixels : documentPixels
  const content = await buffer(await documents.read(id))
  const made = await shrinkPicture(content, { pixels, format: 'portable', caller })
  if (!made) return undefined
  const { bytes, width, height, format } = made
  return { bytes, mime: format === 'jpeg' ? 'image/jpeg' : 'image/png', width, height, name: info.name }
}
