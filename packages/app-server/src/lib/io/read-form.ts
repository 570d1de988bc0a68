import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { RestError } from '@steward/rest-core/errors'

/** A payload on disk. */
export interface FormUpload {
  readonly path: string
  /** File name as sent; for messages only. */
  readonly name: string | undefined
}

export interface IoForm {
  readonly fields: ReadonlyMap<string, string>
  readonly upload: FormUpload | undefined
}

export interface FormOptions {
  /** Where payloads are kept while they are worked on. */
  readonly folder: string
  /** Most bytes of a payload. */
  readonly maxBytes: number
}

/** Not specified; chosen far above any parameter. */
const longestField = 65_536
const mostFields = 100
/** A payload as a value of an urlencoded form is in memory. */
const longestData = 16 * 2 ** 20

const payloads = new Set(['file', 'data'])

/**
 * Reads a form; its payload (`file` or `data`) goes to a file as it comes. The caller removes the file.
 *
 * @throws RestError ERR_MEDIA_TYPE, ERR_BAD_REQUEST, ERR_TOO_LARGE; nothing is left on disk then
 */
export async function readForm(req: IncomingMessage, { folder, maxBytes }: FormOptions): Promise<IoForm> {
  const type = req.headers['content-type'] ?? ''
  const isMultipart = /^multipart\/form-data\s*;/i.test(type)
  if (!isMultipart && !/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new RestError('ERR_MEDIA_TYPE', 'Send a form: multipart/form-data, or application/x-www-form-urlencoded.')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${randomUUID()}.tmp`)
  const fields = new Map<string, string>()
  const writing: Promise<void>[] = []
  let upload: FormUpload | undefined
  let problem: RestError | undefined

  const parser = createParser(req, type, isMultipart, maxBytes)
  parser.on('file', (name, stream, fileName) => {
    if (upload || !payloads.has(name)) {
      problem ??= badRequest(upload ? 'Send one payload: "file" or "data".' : `A file in "${name}"; send it as "file".`)
      stream.resume()
      return
    }
    upload = { path, name: fileName || undefined }
    writing.push(save(stream, path, maxBytes))
  })
  parser.on('field', (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) problem ??= new RestError('ERR_TOO_LARGE', `Parameter "${name}" is too long.`)
    else if (fields.has(name)) problem ??= badRequest(`Parameter "${name}" is there twice.`)
    else fields.set(name, value)
  })
  for (const event of ['fieldsLimit', 'partsLimit', 'filesLimit'] as const)
    parser.on(event, () => (problem ??= badRequest('The form has too many parts.')))

  try {
    await pipeline(req, parser).catch((cause: unknown) => {
      throw new RestError('ERR_BAD_REQUEST', `The form cannot be read: ${(cause as Error).message}`, { cause })
    })
    await Promise.all(writing)
    if (problem) throw problem
    const data = fields.get('data')
    if (data !== undefined) {
      fields.delete('data')
      await writeFile(path, data, { mode: 0o600 })
      upload = { path, name: undefined }
    }
    return { fields, upload }
  } catch (error) {
    await Promise.allSettled(writing)
    await rm(path, { force: true })
    throw error
  }
}

function createParser(req: IncomingMessage, type: string, isMultipart: boolean, maxBytes: number) {
  try {
    return new Busboy({
      headers: { ...req.headers, 'content-type': type },
      limits: {
        fields: mostFields,
        fieldSize: isMultipart ? longestField : Math.min(maxBytes, longestData),
        // One too many, so that it is noticed.
        files: 2,
        fileSize: maxBytes,
      },
      // A payload may be long, with or without a file name.
      isPartAFile: (name, _type, fileName) => fileName !== undefined || payloads.has(name ?? ''),
    })
  } catch (cause) {
    throw new RestError('ERR_BAD_REQUEST', `The form cannot be read: ${(cause as Error).message}`, { cause })
  }
}

async function save(stream: Readable & { truncated?: boolean }, path: string, maxBytes: number): Promise<void> {
  await pipeline(stream, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
  if (stream.truncated) throw new RestError('ERR_TOO_LARGE', `The payload is larger than ${maxBytes} bytes.`)
}

function badRequest(text: string): RestError {
  return new RestError('ERR_BAD_REQUEST', text)
}
