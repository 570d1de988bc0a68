import { basename } from 'node:path'

/** The media type that the name of a document tells, `application/octet-stream` when it tells none. */
export async function mediaTypeOf(name: string): Promise<string> {
  // The list of media types is large, and most processes never need it.
  const { default: mimeTypes } = await import('mime-types')
  return mimeTypes.lookup(name) || 'application/octet-stream'
}

/** The name of a document as it is kept: the last part of what may be a path of any system. */
export function documentName(given: string): string {
  return basename(given.replaceAll('\\', '/')).slice(0, 255) || 'document'
}
