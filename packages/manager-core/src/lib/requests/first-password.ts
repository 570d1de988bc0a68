import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'

/**
 * Why a password was not set: `short` of that many characters, `refused` by a rule of the application, `changed`: the first
 * one is not valid any more, `silent`: the instance does not answer.
 */
export type PasswordRefusal =
  | { readonly result: 'short'; readonly least: number }
  | { readonly result: 'refused' | 'changed' | 'silent' }

const timeoutMs = 30_000

/**
 * Gives the administrator of a running instance another password than the first one, as that administrator: a password that
 * a person has changed is never overwritten.
 *
 * @returns undefined: it is set
 */
export async function changeFirstPassword(
  { settings, home }: Pick<ManagerContext, 'settings' | 'home'>,
  { id, port }: Pick<Instance, 'id' | 'port'>,
  password: string,
): Promise<PasswordRefusal | undefined> {
  const { adminUser, adminPassword } = await settings.instance(home.instance(id).folder)
  const credentials = Buffer.from(`${adminUser}:${adminPassword.reveal()}`).toString('base64')
  let answer: Response
  let body: unknown
  try {
    answer = await fetch(`http://127.0.0.1:${port}/api/rest/User/_key/${encodeURIComponent(adminUser)}`, {
      method: 'PUT',
      headers: { Authorization: `Basic ${credentials}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ usr_password: password }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    body = await answer.json().catch(() => undefined)
  } catch {
    return { result: 'silent' }
  }
  if (answer.ok) return undefined
  if (answer.status === 401) return { result: 'changed' }
  if (answer.status !== 400) return { result: 'silent' }
  const { messages = [] } = (body ?? {}) as { messages?: readonly { code?: string; text?: string }[] }
  const least = Number(/at least (\d+)/.exec(messages.find(({ code }) => code === 'ERR_LENGTH')?.text ?? '')?.[1])
  return least > 0 ? { result: 'short', least } : { result: 'refused' }
}
