import { basename } from 'node:path'

/** The media type by the name of a document, `application/octet-stream` when its ending is unknown. */
export async function mediaTypeOf(name: string): Promise<string> {
  // The list of media types is large, and most processes never need it.
  const { default: mimeTypes } = await import('mime-types')
  return mimeTypes.lookup(name) || 'application/octet-stream'
}

/** The name of a document as it is kept: the last part of what may be a path of any system, which is itself no folder. */
export function documentName(given: string): string {
  // The cut may leave half of a character, which no header can hold.
  const name = basename(given.replaceAll('\\', '/'))
    .slice(0, 255)
    .replace(/[\uD800-\uDBFF]$/, '')
  return /^\.{0,2}$/.test(name) ? 'document' : name
}

/** An id that the stores of this package have given. */
export const documentIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
