import { buffer } from 'node:stream/consumers'
import { RestError } from '../../errors.js'
import type { DocumentStore } from '../documents/document-store.js'
import { loadSharp, mostPixels } from '../documents/thumbnail.js'
import type { BusinessRecord } from '../model/model.js'
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
  portable: boolean,
): Promise<Pictures> {
  const pictures = new Map<string, { uri: string; name: string }>()
  const spend = pictureBudget()
  for (const record of uses.length > 0 ? records : []) {
    for (const { field, thumbnail } of uses) {
      const id = record[field]
      if (typeof id !== 'string' || id === '' || !documents) continue
      const key = pictureKey(id, thumbnail)
      if (pictures.has(key)) continue
      const uri = await dataUri(documents, id, thumbnail, portable, spend)
      if (uri) pictures.set(key, { uri, name: (await documents.info(id))?.name ?? '' })
    }
  }
  return pictures
}

async function dataUri(
  documents: DocumentStore,
  id: string,
  thumbnail: boolean,
  portable: boolean,
  spend: (bytes: number) => void,
): Promise<string | undefined> {
  if (portable) {
    const picture = await loadPicture(documents, id, thumbnail, spend)
    return picture && uriOf(picture.mime, picture.bytes)
  }
  if (thumbnail) {
    const bytes = await documents.thumbnail(id, thumbnailPixels)
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
  thumbnail: boolean,
  spend: (bytes: number) => void,
): Promise<Picture | undefined> {
  const info = await documents.info(id)
  if (!info || !info.mime.startsWith('image/')) return undefined
  spend(info.size)
  const sharp = await loadSharp()
  const pixels = thumbnail ? thumbnailPixels : documentPixels
  const content = await buffer(await documents.read(id))
  try {
    const image = sharp(content, { limitInputPixels: mostPixels }).rotate()
    const resized = image.resize({ width: pixels, height: pixels, fit: 'inside', withoutEnlargement: true })
    const isJpeg = (await sharp(content).metadata()).format === 'jpeg'
    const { data, info: size } = await (isJpeg ? resized.jpeg() : resized.png()).toBuffer({ resolveWithObject: true })
    const mime = isJpeg ? 'image/jpeg' : 'image/png'
    return { bytes: data, mime, width: size.width, height: size.height, name: info.name }
  } catch {
    // sharp has no error classes: whatever it cannot decode is not a picture for us.
    return undefined
  }
}
