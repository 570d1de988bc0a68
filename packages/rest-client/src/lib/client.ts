import { readEvents, type EventOptions } from './events.js'
import { createObjectClient } from './object-client.js'
import type { ObjectClient } from './object-client.js'
import { queryOf } from './query.js'
import { createTransport } from './transport.js'
import { wait } from './wait.js'
import type { AnyRecord, CallOptions, ChangeEvent, ClientOptions, IndexRecord, Session, Task } from './types.js'

/** Record types by object name, e.g. `RecordsOf<typeof definitions>` or what `rest-client types` writes. */
export type Records = object

/** The service as seen by one user. */
export interface Client<Known extends Records> {
  /** The calls on one object, whose name must be known when record types are given. */
  object<N extends keyof Known & string>(name: N): ObjectClient<Known[N]>
  /** Changes basic authentication for a token, which later calls carry and renew. */
  login(): Promise<Session>
  /** Ends the token. */
  logout(): Promise<void>
  /** Gives the user another password, and a token, which later calls carry. */
  changePassword(password: string, newPassword: string): Promise<Session>
  /** Application, user and session. */
  info(options?: CallOptions): Promise<AnyRecord>
  /** The documentation of the service as an answer: read it by `text()` or `json()`. Default Markdown. */
  documentation(
    options?: CallOptions & { object?: string | undefined; output?: 'html' | 'openapi' | undefined },
  ): Promise<Response>
  /** Records of all indexed objects, found by words. */
  indexSearch(text: string, options?: CallOptions): Promise<IndexRecord<AnyRecord>[]>
  /** The state of a background action. */
  task(id: string, options?: CallOptions): Promise<Task>
  cancelTask(id: string, options?: CallOptions): Promise<Task>
  /** Waits until a background action has ended. */
  waitForTask(
    id: string,
    options?: CallOptions & { intervalMs?: number | undefined; onProgress?: ((task: Task) => void) | undefined },
  ): Promise<Task>
  /** Changes of records as they happen, without a gap after a lost connection. */
  events(options?: EventOptions): AsyncGenerator<ChangeEvent>
}

/**
 * A client of the REST service, for Node and browsers; needs `fetch` only.
 *
 * @example
 * const client = createClient({ url: 'http://localhost:8080/api/rest', credentials: { login, password } })
 * for await (const movie of client.object('Movie').search({ filters: { mov_year: '> 2000' } })) console.log(movie)
 */
export function createClient<Known extends Records = Record<string, AnyRecord>>(options: ClientOptions): Client<Known> {
  const transport = createTransport(options)
  const { json, login, logout, changePassword } = transport
  const taskPath = (id: string) => `/_task/${encodeURIComponent(id)}`
  const task = (id: string, call?: CallOptions) => json<Task>({ path: taskPath(id), signal: call?.signal })

  return {
    object: <N extends keyof Known & string>(name: N) => createObjectClient<Known[N]>(name, transport),
    login,
    logout,
    changePassword,
    info: (call) => json({ path: '', signal: call?.signal }),
    documentation: ({ object, output, signal } = {}) =>
      transport.send({
        path: `/${object === undefined ? '' : encodeURIComponent(object)}${queryOf({ _doc: true, _output: output })}`,
        signal,
      }),
    indexSearch: (text, call) => json({ path: `/_index${queryOf({ _indexsearch: text })}`, signal: call?.signal }),
    task,
    cancelTask: (id, call) => json({ method: 'DELETE', path: taskPath(id), signal: call?.signal }),
    async waitForTask(id, { intervalMs = 1_000, onProgress, ...call } = {}) {
      for (;;) {
        const state = await task(id, call)
        onProgress?.(state)
        if (state.status !== 'running') return state
        await wait(intervalMs, call.signal)
      }
    },
    events: (call) => readEvents(transport, call),
  }
}
