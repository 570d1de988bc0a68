import type { ImportRecord, FilePlace } from './import-record.js'
import { fileError, readAction } from './import-record.js'
import type { FileOptions } from './read-json.js'
import type { Bytes } from './utf8.js'
import { decodeUtf8 } from './utf8.js'
import type { XmlToken } from './xml-tokens.js'
import { xmlTokens } from './xml-tokens.js'

/** Not specified; chosen above any document as base64 that a field takes by default. */
const longestValue = 200_000_000

/**
 * Records of `<objects><object><name/><action/><data>…</data>…</object>…</objects>`; the name of the root does not matter.
 * Streamed: memory does not grow with the file.
 *
 * @throws RestError ERR_BAD_REQUEST with line and column
 */
export async function* readXml(bytes: Bytes, { file, attachments }: FileOptions = {}): AsyncGenerator<ImportRecord> {
  const path: string[] = []
  let block: { name: string; action: string } = { name: '', action: '' }
  let values = new Map<string, unknown>()
  let value: { parts: string[]; length: number; isBase64: boolean } | undefined
  let dataLine = 1

  for await (const tokens of xmlTokens(decodeUtf8(bytes, { file }), file)) {
    for (const token of tokens) {
      if (token.kind === 'open') open(token)
      else if (token.kind === 'text') addText(token)
      else {
        const record = close(token)
        if (record) yield record
      }
    }
  }

  function open({ name, line, isBase64 }: XmlToken & { kind: 'open' }): void {
    const [, object, part] = path
    const place: FilePlace = { file, line }
    if (path.length === 1 && name !== 'object') throw fileError(place, `<${name}> stands where <object> should.`)
    if (path.length === 2) {
      if (name !== 'name' && name !== 'action' && name !== 'data')
        throw fileError(place, `<${name}> in <object>; there are <name>, <action> and <data>.`)
      if (name === 'data') startRecord(line)
    }
    if (path.length === 3 && part !== 'data') throw fileError(place, `<${part}> holds text, not <${name}>.`)
    if (path.length === 4) throw fileError(place, `<${path[3]}> holds text, not <${name}>.`)
    if (object === undefined) block = { name: '', action: '' }
    path.push(name)
    if (path.length === 4 || (path.length === 3 && name !== 'data')) value = { parts: [], length: 0, isBase64 }
  }

  function startRecord(line: number): void {
    if (block.name === '') throw fileError({ file, line }, '<object> needs its <name> before <data>.')
    values = new Map()
    dataLine = line
  }

  function addText({ text, line }: XmlToken & { kind: 'text' }): void {
    if (value) {
      value.length += text.length
      if (value.length > longestValue)
        throw fileError({ file, line }, `<${path.at(-1)}> has more than ${longestValue} characters.`)
      value.parts.push(text)
    } else if (text.trim() !== '')
      throw fileError({ file, line }, `Text within <${path.at(-1)}>: "${text.trim().slice(0, 20)}".`)
  }

  function close({ name, line }: XmlToken & { kind: 'close' }): ImportRecord | undefined {
    path.pop()
    if (value) {
      const text = read(value, name, line)
      value = undefined
      if (path.length === 3) {
        if (values.has(name)) throw fileError({ file, line }, `<${name}> is there twice.`)
        values.set(name, text)
      } else block = { ...block, [name]: text.trim() }
      return undefined
    }
    if (path.length !== 2 || name !== 'data') return undefined
    const place: FilePlace = { file, line: dataLine }
    return { object: block.name, action: readAction(block.action, place), values, isText: true, place, attachments }
  }

  function read({ parts, isBase64 }: { parts: readonly string[]; isBase64: boolean }, name: string, line: number) {
    const text = parts.join('')
    if (!isBase64) return text
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, 'base64'))
    } catch (cause) {
      throw fileError({ file, line }, `<${name}> is not UTF-8 text in base64.`, cause)
    }
  }
}
