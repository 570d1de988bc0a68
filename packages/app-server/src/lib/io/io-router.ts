import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Router } from '@koa/router'
import { RestError } from '@steward/rest-core/errors'
import { clientGone, refuseForeignPage } from '@steward/rest-koa'
import type { Authentication, Log } from '@steward/rest-koa'
import type { Context } from 'koa'
import type { IoAnswer, IoContext } from './io-services.js'
import type { IoForm, FormUpload } from './read-form.js'

export interface IoRouterOptions extends IoContext {
  /** Addresses, e.g. `/io`. */
  readonly addresses: readonly string[]
  readonly authentication: Authentication
  /** Where payloads are kept while they are worked on. */
  readonly temporaryFolder: string
  /** Most bytes of a payload. */
  readonly maxBytes: number
  /** `url` may be an address of a private network. */
  readonly privateUrls: boolean
  readonly log: Log
}

/**
 * `/io`: imports, exports and maintenance for scripts and for the instances manager. One call is a POST of a form with basic
 * authentication; `service` names what is done. Answers `OK`, or says why not; `format=json` asks for JSON.
 *
 * Source: docs/spec/wire-decisions.md, "Application server".
 */
export function ioRouter(options: IoRouterOptions): Router {
  const router = new Router({ sensitive: true })
  for (const address of options.addresses) router.all('io', address, answer)
  return router

  async function answer(context: Context): Promise<void> {
    context.set('Cache-Control', 'no-store')
    const fields = new Map(new URLSearchParams(context.querystring))
    try {
      if (context.method !== 'POST') {
        context.set('Allow', 'POST')
        throw new RestError('ERR_METHOD', `${context.method} does not work on this address; send a POST.`)
      }
      refuseForeignPage(context, 'send a POST')
      const principal = await options.authentication.authenticate(context)
      // What reads and writes files of all kinds is loaded with the first call.
      const [{ ioServices }, { readForm }] = await Promise.all([import('./io-services.js'), import('./read-form.js')])
      const form = await readForm(context.req, { folder: options.temporaryFolder, maxBytes: options.maxBytes })
      for (const [name, value] of form.fields) fields.set(name, value)
      const payloads = createPayloads(options, form, fields)
      try {
        const name = fields.get('service') ?? ''
        const run = Object.hasOwn(ioServices, name) ? ioServices[name] : undefined
        if (!run) {
          const known = `there are ${Object.keys(ioServices).join(', ')}`
          throw new RestError('ERR_BAD_REQUEST', `There is no service "${name.slice(0, 40)}"; ${known}.`)
        }
        send(
          context,
          fields,
          await run({ principal, fields, signal: clientGone(context), payload: payloads.get }, options),
        )
      } finally {
        await payloads.remove()
      }
    } catch (error) {
      sendError(context, fields, error, options.log)
    }
  }
}

/** The payload of a call, which is loaded when it is asked for, and removed in the end. */
function createPayloads(
  { temporaryFolder, maxBytes, privateUrls }: IoRouterOptions,
  { upload }: IoForm,
  fields: ReadonlyMap<string, string>,
) {
  const path = join(temporaryFolder, `${randomUUID()}.tmp`)
  const url = fields.get('url')
  return {
    async get(): Promise<FormUpload> {
      if (upload && url) throw new RestError('ERR_BAD_REQUEST', 'Send one payload: "file", "data" or "url".')
      if (upload) return upload
      if (!url) throw new RestError('ERR_BAD_REQUEST', 'The payload is missing: send it as "file", "data" or "url".')
      const { download } = await import('./download.js')
      await download(url, { path, maxBytes, privateAddresses: privateUrls })
      return { path, name: undefined }
    },
    async remove(): Promise<void> {
      for (const file of [path, upload?.path]) if (file !== undefined) await rm(file, { force: true })
    },
  }
}

function send(context: Context, fields: ReadonlyMap<string, string>, answer: IoAnswer): void {
  if ('stream' in answer) {
    context.attachment(answer.fileName)
    context.type = answer.type
    context.body = answer.stream
    return
  }
  const { report, text = 'OK', status = 200 } = answer
  context.status = status
  if (fields.get('format') === 'json') {
    context.type = 'application/json; charset=utf-8'
    context.body = JSON.stringify({ status: status === 200 ? 'OK' : 'KO', ...report })
  } else {
    context.type = 'text/plain; charset=utf-8'
    context.body = text
  }
}

/** Statuses that say more than 400; the others of a client's mistakes are 400. */
const ownStatuses = new Set([401, 405, 413, 415, 429, 503])

function sendError(context: Context, fields: ReadonlyMap<string, string>, thrown: unknown, log: Log): void {
  const error = RestError.is(thrown) ? thrown : new RestError('ERR_INTERNAL', 'Inner error.', { cause: thrown })
  const isHidden = error.status === 500
  if (isHidden) log.error({ requestId: context.state['requestId'], err: thrown }, 'io failed')
  const text = isHidden ? 'The service failed; the log of the server has more.' : error.message
  const messages = isHidden ? [] : error.messages
  const isOrigin = error.code === 'ERR_ORIGIN'
  context.status = ownStatuses.has(error.status) || isOrigin || isHidden ? error.status : 400
  if (error.retryAfterSeconds !== undefined) context.set('Retry-After', `${error.retryAfterSeconds}`)
  // What was not read of a large body must not hold the connection.
  if (!context.req.complete) context.set('Connection', 'close')
  if (fields.get('format') === 'json') {
    context.type = 'application/json; charset=utf-8'
    context.body = JSON.stringify({ error: text, status: context.status, code: error.code, messages })
  } else {
    context.type = 'text/plain; charset=utf-8'
    context.body = messages.length > 0 ? messages.map((message) => message.text).join('\n') : text
  }
}
