import { isIP } from 'node:net'
import type { WebhookSender } from '@steward/rest-core/system'
import { isPrivateAddress, publicLookup } from './private-addresses.js'

export interface WebhookSenderOptions {
  /**
   * Lets webhooks call this machine and private networks. Default false: who may make webhooks could reach there what is
   * out of reach from outside.
   */
  readonly allowPrivate?: boolean
}

/** A longer answer is cut; it is not read. */
const mostAnswerBytes = 65_536

/**
 * Calls webhooks over HTTP. The address is checked when it is connected to, so that a name cannot lead elsewhere than
 * the name that was checked. Redirects are not followed.
 */
export function createWebhookSender({ allowPrivate = false }: WebhookSenderOptions = {}): WebhookSender {
  return ({ url, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const target = new URL(url)
      const host = target.hostname.replace(/^\[|\]$/g, '')
      // Addresses are connected to without being looked up.
      if (!allowPrivate && isIP(host) && isPrivateAddress(host)) throw privateAddress()
      // Imported, they load more than most services need.
      const { request } = process.getBuiltinModule(target.protocol === 'https:' ? 'node:https' : 'node:http')
      const call = request(target, {
        method: 'POST',
        headers: { ...headers, 'content-length': `${Buffer.byteLength(body)}` },
        agent: false,
        signal,
        ...(!allowPrivate && { lookup: publicLookup(privateAddress) }),
      })
      call.on('response', (response) => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > mostAnswerBytes) call.destroy()
        })
        response.on('error', () => {})
        resolve(response.statusCode ?? 0)
      })
      call.on('error', (error: NodeJS.ErrnoException) =>
        reject(signal.aborted ? (signal.reason as Error) : explain(error)),
      )
      call.end(body)
    })
}

class PrivateAddressError extends Error {}

function privateAddress(): Error {
  return new PrivateAddressError(
    'Its address is not one of the internet; the setting allowPrivateWebhooks would allow it.',
  )
}

/** Without the address, which may hold secrets. */
function explain(error: NodeJS.ErrnoException): Error {
  if (error instanceof PrivateAddressError) return error
  return new Error(`It could not be called (${error.code ?? error.name}).`, { cause: error })
}
