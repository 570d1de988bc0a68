import type { FilePlace } from './import-record.js'
import { fileError } from './import-record.js'

/** Bytes in pieces, as streams give them. */
export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Text of UTF-8 bytes, without a byte order mark. @throws RestError ERR_BAD_REQUEST for bytes that are no UTF-8 */
export async function* decodeUtf8(bytes: Bytes, place: FilePlace = {}): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (cause) {
      throw fileError(place, 'The file is not UTF-8 text.', cause)
    }
  }
  for await (const chunk of bytes) {
    const text = decode(chunk)
    if (text !== '') yield text
  }
  const rest = decode()
  if (rest !== '') yield rest
}

/** All of it, up to a limit, each piece checked when it comes. @throws RestError ERR_BAD_REQUEST */
export async function readText(
  bytes: Bytes,
  maxCharacters: number,
  place: FilePlace,
  check: (text: string) => void,
): Promise<string> {
  const parts: string[] = []
  let length = 0
  for await (const text of decodeUtf8(bytes, place)) {
    length += text.length
    if (length > maxCharacters)
      throw fileError(
        place,
        `The file has more than ${maxCharacters} characters; give CSV or XML, or several files in a ZIP.`,
      )
    check(text)
    parts.push(text)
  }
  return parts.join('')
}
