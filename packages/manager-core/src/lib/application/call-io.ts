import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { InstanceSettings } from '../settings/settings.js'

export interface IoRequest {
  /** `xmlimport`, `purgelogs`, `unittests` … Source: wire-decisions, "Application server". */
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
 * Calls the I/O endpoint of a running instance with its credentials.
 *
 * @returns also what it refused: 400 and 500 have a text for people.
 * @throws ManagerError ERR_STATE when it does not answer, ERR_FAILED when it does not take the credentials.
 */
export async function callIo(
  { url, user, password }: Pick<InstanceSettings, 'url' | 'user' | 'password'>,
  { service, fields = {}, file, timeoutMs = 600_000, signal }: IoRequest,
): Promise<IoAnswer> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ service, ...fields })) form.set(name, value)
  if (file !== undefined) form.set('file', await openAsBlob(file), basename(file))
  const ends = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
  let answer: Response
  let text: string
  try {
    const authorization = `Basic ${Buffer.from(`${user}:${password.reveal()}`).toString('base64')}`
    answer = await fetch(url, {
      method: 'POST',
      body: form,
      headers: { authorization },
      redirect: 'error',
      signal: AbortSignal.any(ends),
    })
    text = (await answer.text()).trim()
  } catch (error) {
    signal?.throwIfAborted()
    throw new ManagerError('ERR_STATE', `The I/O endpoint ${url} does not answer.`, {
      cause: error,
      help: 'Check that the instance is started and healthy.',
    })
  }
  if (answer.status === 401)
    throw new ManagerError('ERR_FAILED', `The I/O endpoint ${url} refuses the credentials in the settings file.`, {
      help: 'Restart the instance, so it reads its settings again.',
    })
  return { ok: answer.ok, status: answer.status, text }
}
