import { Agent, request as httpRequest } from 'node:http'
import { systemPrincipal } from '@steward/rest-core'
import type { BusinessObjects, Model, ObjectStore, Principal } from '@steward/rest-core'
import { restRouter } from '@steward/rest-koa'
import Koa from 'koa'
import type { Answer } from '../../packages/rest-koa/src/lib/testing/caller.js'
import { createConformance } from '../../packages/rest-koa/src/lib/testing/conformance.js'
import type { Conformance } from '../../packages/rest-koa/src/lib/testing/conformance.js'
import { runService } from '../../packages/rest-koa/src/lib/testing/running-service.js'
import { serve } from '../../packages/rest-koa/src/lib/testing/serve.js'
import type { OpenApiRequest } from './openapi-requests.js'

const ann = systemPrincipal({ login: 'ann' })

/** Row ids that are kept per object; older records are deleted, so that searches stay short. */
const mostRows = 30

/** A service that takes requests as fast as they come, over HTTP. */
export interface FuzzedService {
  send(request: OpenApiRequest): Promise<Answer & { readonly url: string }>
  readonly conformance: Conformance
  // oxlint-disable-next-line typescript/no-explicit-any -- a document of any shape
  readonly document: any
  readonly failures: unknown[]
  close(): Promise<void>
}

/**
 * Serves a model, whose tables are made and filled first.
 *
 * @param caller who sends the requests; they are generated from the administrator's document.
 */
export async function serveFuzzed(
  model: Model,
  store: ObjectStore,
  caller: Principal = ann,
  fill?: (service: BusinessObjects, administrator: Principal) => Promise<void>,
): Promise<FuzzedService> {
  const running = await runService(model, store)
  await fill?.(running.service, ann)
  const failures: unknown[] = []
  const app = new Koa()
  app.on('error', (error) => failures.push(error))
  app.use(
    restRouter(running.service, {
      authenticate: ({ headers }) => (headers['x-administrator'] ? ann : caller),
    }).routes(),
  )
  const server = await serve(app)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const rows = new Map<string, string[]>()
  const filled = await idsOf(running.service)
  const document = (await exchange('GET', '/_doc?_output=openapi', { 'x-administrator': 'yes' }, undefined)).json
  return {
    document,
    conformance: createConformance(document),
    failures,
    async send({ method, path, headers, body, row }) {
      const object = path.split(/[/?]/)[1] ?? ''
      const known = [...(filled.get(object) ?? []), ...(rows.get(object) ?? [])]
      const url = path.replaceAll('{row_id}', known[row % known.length] ?? '1')
      const answer = await exchange(method, url, headers, body)
      await keep(answer)
      return { ...answer, url }
    },
    async close() {
      agent.destroy()
      await server.close()
      await running.close()
    },
  }

  /** Remembers the new record that an answer names. */
  async function keep({ headers }: Answer): Promise<void> {
    const [, object = '', id] = /\/([A-Z]\w*)\/(\d+)$/.exec(headers.get('location') ?? '') ?? []
    if (id === undefined) return
    const known = rows.get(object) ?? []
    rows.set(object, [...known.filter((each) => each !== id), id])
    if (known.length < mostRows) return
    const [oldest = ''] = rows.get(object)?.splice(0, 1) ?? []
    await running.service.delete(ann, object, oldest).catch(() => {})
  }

  function exchange(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer | undefined,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          agent,
          port: server.port,
          host: '127.0.0.1',
          method,
          path: `/api/rest${path}`,
          headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({
              status: response.statusCode as number,
              headers: new Headers(response.headers as Record<string, string>),
              text,
              json: parse(text),
            })
          })
        },
      )
      request.on('error', (error) =>
        reject(new Error(`${method} ${path} ${JSON.stringify(headers)} ${String(body)}`, { cause: error })),
      )
      request.end(body)
    })
  }
}

/** Documents may have any content and any media type. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Sends requests, 16 at the same time, until more than 20 problems were found.
 *
 * @param judge what is wrong with an answer; empty: nothing.
 * @returns the problems, and how many answers had each status.
 */
export async function sendAll(
  { send }: FuzzedService,
  requests: readonly OpenApiRequest[],
  judge: (request: OpenApiRequest, answer: Answer & { readonly url: string }) => readonly string[],
): Promise<{ readonly problems: readonly string[]; readonly statuses: ReadonlyMap<number, number> }> {
  const problems: string[] = []
  const statuses = new Map<number, number>()
  const todo = requests.values()
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const request of todo) {
        if (problems.length > 20) return
        const answer = await send(request)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        const { operationId, method, headers, body } = request
        for (const problem of judge(request, answer))
          problems.push(
            `${operationId}: ${method} ${answer.url} ${JSON.stringify(headers)} ${String(body)} → ${problem}`,
          )
      }
    }),
  )
  return { problems, statuses }
}

/** Row ids of the records that are there, by object. */
async function idsOf(service: BusinessObjects): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = new Map<string, string[]>()
  for (const name of service.model.objects.keys()) {
    const found: string[] = []
    for await (const batch of await service.search(ann, name)) found.push(...batch.map(({ row_id }) => row_id))
    ids.set(name, found)
  }
  return ids
}
