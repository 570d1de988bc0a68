import type { ShownRequest } from '@steward/page-kit/call-code'
import { createClient } from '@steward/rest-client'
import { settings } from './settings.js'
import { viewAs } from './view-as.js'

/** A call of the client: a method, of an object when one is named. */
export interface ApiCall {
  readonly object?: string
  readonly method: string
  readonly args: readonly unknown[]
}

/** As code. */
export function codeOf({ object, method, args }: ApiCall): string {
  const target = object === undefined ? 'client' : `client.object(${JSON.stringify(object)})`
  return `const answer = await ${target}.${method}(${args.map((one) => JSON.stringify(one, null, 2)).join(', ')})`
}

/** The request that the client makes of it; nothing is sent. */
export async function requestOf({ object, method, args }: ApiCall): Promise<ShownRequest> {
  let shown: ShownRequest = { method: 'GET', url: settings.rest, headers: {} }
  const client = createClient({
    url: settings.rest,
    viewAs: viewAs.get()?.login,
    async fetch(input, init = {}) {
      const headers = new Headers(init.headers)
      // For browsers only.
      headers.delete('X-Requested-With')
      shown = {
        method: init.method ?? 'GET',
        url: String(input),
        headers: Object.fromEntries(headers),
        ...(typeof init.body === 'string' && { body: init.body }),
      }
      return Response.json([])
    },
  })
  const target = object === undefined ? client : client.object(object)
  await (target as unknown as Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>)[method]?.(
    ...args,
  )
  return shown
}
