import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { createManager, type Manager } from '@steward/manager-core'
import {
  createTestManager,
  type TestManager,
  type TestManagerOptions,
} from '../../manager-core/src/lib/testing/create-test-manager.js'
import { createManagerServer, type ManagerServer } from './lib/create-manager-server.js'

/** A server of a manager of its own, and a client that sends exactly what a test says. */
export interface TestServer {
  readonly manager: TestManager
  readonly server: ManagerServer
  /** `GET` of a path such as `/api?action=list`, as the administrator unless the headers say who. */
  get(path: string, headers?: Headers): Promise<TestAnswer>
  close(): Promise<void>
}

type Headers = Readonly<Record<string, string | undefined>>

export interface TestAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as an object; undefined: it is not JSON. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** Credentials of the administrator of a manager without a password of its own. */
export const asAdministrator = basic('admin', 'admin')

/**
 * No version is fetched, unless the options say so.
 *
 * @param listen default: a free port of 127.0.0.1
 */
export async function startServer(options: TestManagerOptions = {}, listen = '127.0.0.1:0'): Promise<TestServer> {
  // The built manager, as the server has it, so that errors are of one class; to types that makes two of everything.
  const built = createManager as unknown as NonNullable<TestManagerOptions['createManager']>
  const manager = await createTestManager({ createManager: built, refresh: false, ...options })
  const server = await createManagerServer({ manager: manager.manager as unknown as Manager, listen })
  return {
    manager,
    server,
    get: (path, headers = {}) => get(`${server.url}${path}`, { authorization: asAdministrator, ...headers }),
    async close() {
      await server.close()
      await manager.close()
    },
  }
}

/** Headers that are undefined are not sent. */
export function get(
  url: string,
  headers: Headers,
  { body: sent, ...options }: RequestOptions & { readonly body?: string } = {},
): Promise<TestAnswer> {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    const ask = url.startsWith('https:') ? httpsRequest : httpRequest
    ask(url, { agent: false, ...options, headers: given }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
      const isJson = response.headers['content-type']?.includes('json') ?? false
      const body = isJson ? (JSON.parse(text) as TestAnswer['body']) : undefined
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body })
    })
      .once('error', reject)
      .end(sent)
  })
}
