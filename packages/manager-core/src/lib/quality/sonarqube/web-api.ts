import { ManagerError } from '../../../errors.js'
import type { Secret } from '../../domain/secret.js'

export interface SonarServer {
  /** Without a last slash. */
  readonly url: string
  /** A token, or a login when there is a password. */
  readonly login?: Secret | undefined
  readonly password?: Secret | undefined
  readonly organization?: string | undefined
}

/** The documented web API of SonarQube and SonarCloud, as far as it is needed. */
export interface WebApi {
  /** @throws ManagerError ERR_TARGET when it does not answer, ERR_ACCESS when it refuses the credentials, ERR_NOT_FOUND for 404 */
  get<T>(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<T>
  /** @returns false when the server refuses it */
  tryPost(path: string, form: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<boolean>
}

const requestMs = 30_000

export function createWebApi({ url, login, password, organization }: SonarServer): WebApi {
  const credentials = password === undefined ? login?.reveal() : `${login?.reveal() ?? ''}:${password.reveal()}`
  const authorization =
    credentials === undefined
      ? undefined
      : password === undefined
        ? `Bearer ${credentials}`
        : `Basic ${Buffer.from(credentials).toString('base64')}`

  return {
    async get<T>(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal) {
      const all = new URLSearchParams({ ...query, ...(organization !== undefined && { organization }) })
      const answer = await call(`${path}?${all.toString()}`, {}, signal)
      if (!answer.ok) throw refusal(answer.status, path)
      return (await answer.json().catch(() => {
        throw new ManagerError('ERR_TARGET', `${url} answered ${path} with something that is not JSON.`, {
          help: 'Check APPS_QUALITY_URL.',
        })
      })) as T
    },
    async tryPost(path, form, signal) {
      const body = new URLSearchParams({ ...form, ...(organization !== undefined && { organization }) })
      const answer = await call(path, { method: 'POST', body }, signal)
      if (answer.status === 401) throw refusal(401, path)
      return answer.ok
    },
  }

  async function call(path: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
    const ends = [AbortSignal.timeout(requestMs), ...(signal ? [signal] : [])]
    try {
      return await fetch(`${url}/${path}`, {
        ...init,
        ...(authorization !== undefined && { headers: { authorization } }),
        redirect: 'error',
        signal: AbortSignal.any(ends),
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw new ManagerError('ERR_TARGET', `The quality server ${url} does not answer.`, {
        cause: error,
        help: 'Check APPS_QUALITY_URL and that the server runs. Without APPS_QUALITY_LOGIN and APPS_QUALITY_URL the analysis runs on this machine.',
      })
    }
  }

  function refusal(status: number, path: string): ManagerError {
    if (status === 401 || status === 403)
      return new ManagerError('ERR_ACCESS', `The quality server ${url} refused the credentials (HTTP ${status}).`, {
        help: 'Set APPS_QUALITY_LOGIN to a valid token that may analyse and browse the project.',
      })
    return status === 404
      ? new ManagerError('ERR_NOT_FOUND', `The quality server ${url} does not know what was asked for (${path}).`, {
          help: 'Check APPS_QUALITY_URL and APPS_QUALITY_ORG.',
        })
      : new ManagerError('ERR_TARGET', `The quality server ${url} answered ${path} with HTTP ${status}.`)
  }
}
