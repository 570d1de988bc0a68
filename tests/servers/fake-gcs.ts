import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An object of the fake. */
export interface FakeObject {
  readonly bytes: Buffer
  /** Reported hashes, in base64. */
  readonly hashes: { readonly md5Hash: string; readonly crc32c: string }
  readonly generation: number
  readonly updated: Date
  readonly contentType: string
  /** It cannot be changed or removed before. */
  retainUntil?: Date
}

/** What the fake does wrong from now on. */
export interface Misbehaviour {
  /** A resumable upload ends with its first piece, as the storage emulator of Firebase has it. */
  readonly endsEarly?: boolean
  /** The last byte of what is stored is another one. */
  readonly damages?: boolean
  /** Only that many bytes are stored; the reported hashes are of what was sent. */
  readonly storesAtMost?: number
  /** All requests are refused so. */
  readonly refusal?: { readonly status: number; readonly reason: string; readonly message?: string }
}

/** Google Cloud Storage as far as uploads, downloads and lists of its JSON API go; there are no users. */
export interface FakeGcs {
  readonly url: string
  readonly port: number
  /** By `<bucket>/<name>`. */
  readonly objects: Map<string, FakeObject>
  /** `POST /upload/storage/v1/b/…`, in the order of their arrival. */
  readonly requests: string[]
  /** How many were opened so far. */
  readonly connections: number
  misbehaviour: Misbehaviour
  /** Uploads that have not ended cannot continue. */
  forgetUploads(): void
  close(): Promise<void>
}

interface Session {
  readonly bucket: string
  readonly name: string
  readonly contentType: string
  readonly condition: string | null
  bytes: Buffer
  /** The answer to its last request, once it has ended. */
  answer?: object
}

/** Uploads that are cut keep multiples of it. */
const unit = 256 * 1024

class Refusal extends Error {
  readonly status: number
  readonly reason: string

  constructor(status: number, reason: string, message = reason) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

export async function startFakeGcs({ buckets }: { readonly buckets: readonly string[] }): Promise<FakeGcs> {
  const objects = new Map<string, FakeObject>()
  const sessions = new Map<string, Session>()
  const requests: string[] = []
  let lastGeneration = 1000
  let connections = 0

  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    answer(request, response).catch((error: unknown) => {
      if (!(error instanceof Refusal)) return response.destroy()
      const { status: code, reason, message } = error
      request.resume()
      json(response, { error: { code, message, errors: [{ domain: 'global', reason, message }] } }, code)
    })
  })
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const fake: FakeGcs = {
    url,
    port,
    objects,
    requests,
    get connections() {
      return connections
    },
    misbehaviour: {},
    forgetUploads: () => sessions.clear(),
    async close() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
  return fake

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', url)
    const { refusal } = fake.misbehaviour
    if (refusal) throw new Refusal(refusal.status, refusal.reason, refusal.message)
    const parts = /^(\/upload|\/download)?(?:\/storage\/v1)?\/b\/([^/]+)(\/o(?:\/(.+))?)?$/.exec(pathname)
    if (!parts) throw new Refusal(404, 'notFound')
    const [, kind, bucket = '', isObjects, encoded] = parts
    const name = decodeURIComponent(encoded ?? '')
    if (!buckets.includes(bucket)) throw new Refusal(404, 'notFound', 'The specified bucket does not exist.')
    if (!isObjects) return json(response, { kind: 'storage#bucket', id: bucket, name: bucket })
    if (kind === '/upload') return upload(request, response, bucket, query)
    if (name === '') return json(response, list(bucket, query))
    const object = objects.get(`${bucket}/${name}`)
    if (!object) throw new Refusal(404, 'notFound', `No such object: ${bucket}/${name}`)
    if (request.method === 'DELETE') {
      refuseRetained(object)
      objects.delete(`${bucket}/${name}`)
      response.writeHead(204).end()
    } else if (query.get('alt') === 'media') media(request, response, object)
    else json(response, resource(bucket, name, object))
  }

  async function upload(
    request: IncomingMessage,
    response: ServerResponse,
    bucket: string,
    query: URLSearchParams,
  ): Promise<void> {
    const condition = query.get('ifGenerationMatch')
    const id = query.get('upload_id')
    if (id !== null) return resume(request, response, id)
    if (query.get('uploadType') === 'resumable') {
      const wanted = JSON.parse(String(await bodyOf(request)) || '{}') as { name?: string; contentType?: string }
      const name = query.get('name') ?? wanted.name ?? ''
      const contentType = String(request.headers['x-upload-content-type'] ?? wanted.contentType ?? '')
      checkCondition(bucket, name, condition)
      const session = randomUUID()
      sessions.set(session, { bucket, name, contentType, condition, bytes: Buffer.alloc(0) })
      const location = `http://${request.headers.host}/upload/storage/v1/b/${bucket}/o?uploadType=resumable&upload_id=${session}`
      response.writeHead(200, { location }).end()
      return
    }
    // Metadata and content, as `multipart/related`.
    const body = await bodyOf(request)
    const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1] ?? ''
    const [, head = '', content = ''] = body.toString('latin1').split(`--${boundary}`)
    const wanted = JSON.parse(afterHeaders(head)) as { name?: string; contentType?: string }
    const bytes = Buffer.from(afterHeaders(content).replace(/\r\n$/, ''), 'latin1')
    const name = query.get('name') ?? wanted.name ?? ''
    json(response, store(bucket, name, bytes, wanted.contentType ?? '', condition))
  }

  /** A piece of an upload, or a question how far it is. */
  async function resume(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
    const session = sessions.get(id)
    if (!session) throw new Refusal(404, 'notFound', 'There is no such upload.')
    const range = /^bytes (?:(\d+)-(\d+|\*)|\*)\/(\d+|\*)$/.exec(request.headers['content-range'] ?? '')
    if (!range) throw new Refusal(400, 'badRequest', 'It has no Content-Range.')
    if (session.answer) {
      request.resume()
      return json(response, session.answer)
    }
    const [, start, , total] = range
    if (start !== undefined && Number(start) !== session.bytes.length) throw new Refusal(503, 'backendError', 'A gap')
    const pieces: Buffer[] = []
    try {
      for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
    } catch (error) {
      const arrived = Buffer.concat(pieces)
      session.bytes = Buffer.concat([session.bytes, arrived.subarray(0, arrived.length - (arrived.length % unit))])
      throw error
    }
    session.bytes = Buffer.concat([session.bytes, ...pieces])
    const { bucket, name, bytes, contentType, condition } = session
    const isWhole = start !== undefined && total === '*' ? range[2] === '*' : bytes.length === Number(total)
    if (isWhole || (fake.misbehaviour.endsEarly && bytes.length > 0)) {
      const told = /crc32c=([^,]+)/.exec(String(request.headers['x-goog-hash']))?.[1]
      if (told !== undefined && told !== crc32c(bytes).toString('base64')) throw new Refusal(400, 'invalid', 'crc32c')
      return json(response, (session.answer = store(bucket, name, bytes, contentType, condition)))
    }
    const headers: Record<string, string> = bytes.length > 0 ? { range: `bytes=0-${bytes.length - 1}` } : {}
    if (request.headers['x-guploader-no-308'] !== 'yes') response.writeHead(308, headers).end()
    else response.writeHead(200, { ...headers, 'x-http-status-code-override': '308' }).end()
  }

  function store(bucket: string, name: string, sent: Buffer, contentType: string, condition: string | null): object {
    checkCondition(bucket, name, condition)
    const before = objects.get(`${bucket}/${name}`)
    if (before) refuseRetained(before)
    const bytes = Buffer.from(sent.subarray(0, fake.misbehaviour.storesAtMost))
    if (fake.misbehaviour.damages) bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1)
    const hashes = hashesOf(bytes.length < sent.length ? sent : bytes)
    const object = { bytes, hashes, generation: ++lastGeneration, updated: new Date(), contentType }
    objects.set(`${bucket}/${name}`, object)
    return resource(bucket, name, object)
  }

  function checkCondition(bucket: string, name: string, condition: string | null): void {
    const generation = objects.get(`${bucket}/${name}`)?.generation ?? 0
    if (condition === null || Number(condition) === generation) return
    throw new Refusal(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.')
  }

  function list(bucket: string, query: URLSearchParams): object {
    const [prefix, delimiter, after] = ['prefix', 'delimiter', 'pageToken'].map((name) => query.get(name) ?? '')
    const limit = Number(query.get('maxResults') ?? 1000)
    const items: object[] = []
    const prefixes = new Set<string>()
    const names = [...objects.keys()].filter((key) => key.startsWith(`${bucket}/${prefix}`)).toSorted()
    let last = ''
    for (const key of names) {
      const name = key.slice(bucket.length + 1)
      if (name <= (after ?? '')) continue
      if (items.length + prefixes.size === limit) return { items, prefixes: [...prefixes], nextPageToken: last }
      const end = delimiter ? name.indexOf(delimiter, prefix?.length) : -1
      if (end === -1) items.push(resource(bucket, name, objects.get(key) as FakeObject))
      else prefixes.add(name.slice(0, end + 1))
      last = name
    }
    return { items, prefixes: [...prefixes] }
  }

  function resource(bucket: string, name: string, { bytes, hashes, generation, updated, contentType }: FakeObject) {
    const path = `b/${bucket}/o/${encodeURIComponent(name)}`
    return {
      kind: 'storage#object',
      id: `${bucket}/${name}/${generation}`,
      bucket,
      name,
      generation: String(generation),
      metageneration: '1',
      contentType,
      size: String(bytes.length),
      ...hashes,
      timeCreated: updated.toISOString(),
      updated: updated.toISOString(),
      selfLink: `${url}/storage/v1/${path}`,
      mediaLink: `${url}/download/storage/v1/${path}?generation=${generation}&alt=media`,
    }
  }
}

function hashesOf(bytes: Buffer): FakeObject['hashes'] {
  return {
    md5Hash: createHash('md5').update(bytes).digest('base64'),
    crc32c: crc32c(bytes).toString('base64'),
  }
}

function media(request: IncomingMessage, response: ServerResponse, { bytes, hashes, contentType }: FakeObject): void {
  const headers = {
    'content-type': contentType || 'application/octet-stream',
    'x-goog-hash': `crc32c=${hashes.crc32c},md5=${hashes.md5Hash}`,
  }
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
  if (!range) {
    response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes)
    return
  }
  const start = Number(range[1])
  const end = Math.min(bytes.length, range[2] ? Number(range[2]) + 1 : Infinity)
  if (start >= bytes.length) throw new Refusal(416, 'requestedRangeNotSatisfiable')
  const contentRange = `bytes ${start}-${end - 1}/${bytes.length}`
  response.writeHead(206, { ...headers, 'content-length': end - start, 'content-range': contentRange })
  response.end(bytes.subarray(start, end))
}

function refuseRetained({ retainUntil }: FakeObject): void {
  if (retainUntil === undefined || retainUntil.getTime() <= Date.now()) return
  const until = retainUntil.toISOString()
  throw new Refusal(403, 'retentionPolicyNotMet', `It cannot be deleted or overwritten until ${until}`)
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(value))
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray())
}

function afterHeaders(part: string): string {
  return part.slice(part.indexOf('\r\n\r\n') + 4)
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
  return crc
})

function crc32c(bytes: Buffer): Buffer {
  let crc = 0xffffffff
  // Several times faster than `for … of`.
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] as number)) & 0xff] as number)
  const result = Buffer.alloc(4)
  result.writeUInt32BE((crc ^ 0xffffffff) >>> 0)
  return result
}
