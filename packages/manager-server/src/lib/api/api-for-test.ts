import type { TestManager, TestManagerOptions } from '../../../../manager-core/src/lib/testing/create-test-manager.js'
import { asAdministrator, startServer } from '../../server-for-test.js'
import type { ManagerServer } from '../create-manager-server.js'

export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON. */
  readonly body: {
    readonly status: number
    readonly message: string
    readonly code?: string
    readonly operation?: string
    readonly list?: readonly Record<string, unknown>[]
    readonly item?: Record<string, unknown>
    readonly [key: string]: unknown
  }
  readonly text: string
}

/** The API of a manager of its own, with fake applications. */
export interface TestApi {
  readonly manager: TestManager
  readonly server: ManagerServer
  /** As the administrator. @param query without the question mark */
  get(query: string, init?: RequestInit): Promise<ApiAnswer>
  /** What came, as it came. */
  raw(query: string): Promise<Buffer>
  /** The answer to an action, with its parameters. */
  ask(action: string, parameters?: Readonly<Record<string, string>>): Promise<ApiAnswer>
  /** Events of a stream, to its end or until `until`. */
  events(query: string, options?: EventOptions): Promise<readonly ApiEvent[]>
  close(): Promise<void>
}

export interface EventOptions {
  readonly after?: string
  /** Whether that is the last one to be read. */
  readonly until?: (event: ApiEvent) => boolean
}

export interface ApiEvent {
  readonly id: string
  readonly event: string
  readonly data: Record<string, unknown>
}

export async function startApi(options: TestManagerOptions = {}): Promise<TestApi> {
  const { manager, server, close } = await startServer({ refresh: true, ...options })
  return { manager, server, close, ...apiClient(server.url) }
}

/** @param url of the server */
export function apiClient(url: string): Pick<TestApi, 'get' | 'raw' | 'ask' | 'events'> {
  const call = (query: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`${url}/api?${query}`, {
      ...init,
      headers: { Authorization: asAdministrator, 'X-Manager-Request': 'test', ...headers },
    })
  const get: TestApi['get'] = async (query, init) => {
    const response = await call(query, init)
    const text = await response.text()
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
    const body = (isJson && text !== '' ? JSON.parse(text) : { status: -1, message: '' }) as ApiAnswer['body']
    return { status: response.status, headers: response.headers, body, text }
  }
  return {
    get,
    raw: async (query) => Buffer.from(await (await call(query)).arrayBuffer()),
    ask: (action, parameters = {}) => get(new URLSearchParams({ action, ...parameters }).toString()),
    async events(query, { after, until = () => false } = {}) {
      const headers = { Accept: 'text/event-stream', ...(after !== undefined && { 'Last-Event-ID': after }) }
      const response = await call(query, { headers })
      const events: ApiEvent[] = []
      let rest = ''
      for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        const blocks = `${rest}${Buffer.from(piece).toString()}`.split('\n\n')
        rest = blocks.pop() as string
        for (const block of blocks) {
          const event = eventOf(block)
          if (!event) continue
          events.push(event)
          if (until(event)) return events
        }
      }
      return events
    },
  }
}

function eventOf(block: string): ApiEvent | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
  if (field('event') === '') return undefined
  return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) as Record<string, unknown> }
}
