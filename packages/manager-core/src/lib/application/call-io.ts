import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { ManagerError } from '../../errors.js'
import type { InstanceSettings } from '../settings/settings.js'
import { ForeignPortError, type PortOwner } from '../system/connect-to-owner.js'
import { askOwner } from '../system/ask-owner.js'

export interface IoRequest {
  /** `xmlimport`, `purgelogs`, `unittests` … Source: docs/spec/wire-decisions.md, "Application server". */
  readonly service: string
  readonly fields?: Readonly<Record<string, string>>
  /** Path of the payload. */
  readonly file?: string
  /** Default 10 minutes: imports and index builds are long. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

export interface IoAnswer {
  readonly ok: boolean
  readonly status: number
  /** `OK`, or what is wrong. */
  readonly text: string
}

/**
 * Calls the I/O endpoint of a running instance with its credentials. They are sent to a program of the instance only.
 *
 * @param owner who answers at its port
 * @returns also what it refused: 400 and 500 have a text for people.
 * @throws ManagerError ERR_STATE when it does not answer, or another user's program does; ERR_FAILED when it does not take
 *   the credentials.
 */
export async function callIo(
  { url, user, password }: Pick<InstanceSettings, 'url' | 'user' | 'password'>,
  owner: PortOwner,
  { service, fields = {}, file, timeoutMs = 600_000, signal }: IoRequest,
): Promise<IoAnswer> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ service, ...fields })) form.set(name, value)
  if (file !== undefined) form.set('file', await openAsBlob(file), basename(file))
  const ends = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
  const { hostname, port, pathname, search } = new URL(url)
  if (!['127.0.0.1', 'localhost'].includes(hostname))
    throw new ManagerError('ERR_SETTINGS', `The I/O endpoint ${url} is not on this machine.`, {
      help: 'Set SERVICE_URL to an address of 127.0.0.1.',
    })
  // What a form is as bytes, and its type.
  const { body, headers } = new Response(form)
  let answer: { readonly status: number; readonly text: string }
  try {
    answer = await askOwner(
      { port: Number(port || 80), owner },
      {
        method: 'POST',
        path: pathname + search,
        headers: {
          authorization: `Basic ${Buffer.from(`${user}:${password.reveal()}`).toString('base64')}`,
          'content-type': headers.get('content-type') ?? '',
        },
        body: Readable.fromWeb(body as never),
        signal: AbortSignal.any(ends),
      },
    )
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ForeignPortError) throw error
    throw new ManagerError('ERR_STATE', `The I/O endpoint ${url} does not answer.`, {
      cause: error,
      help: 'Check that the instance is started and healthy.',
    })
  }
  const { status } = answer
  const text = answer.text.trim()
  if (status === 401)
    throw new ManagerError('ERR_FAILED', `The I/O endpoint ${url} refuses the credentials in the settings file.`, {
      help: 'Restart the instance, so it reads its settings again.',
    })
  return { ok: status >= 200 && status < 300, status, text }
}
