import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { refOf } from '../runtime/instance-ref.js'
import { ownerOfPort } from '../runtime/owner-of-port.js'
import { askOwner } from '../system/ask-owner.js'

/**
 * Why a password was not set: `short` of that many characters, `refused` by a rule of the application, `changed`: the first
 * one is not valid any more, `silent`: the instance does not answer, or another
 * program does.
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
  context: Pick<ManagerContext, 'settings' | 'home' | 'runtimes'>,
  instance: Pick<Instance, 'id' | 'port' | 'runtime'>,
  password: string,
): Promise<PasswordRefusal | undefined> {
  const { settings, home, runtimes } = context
  const { id, port } = instance
  const { adminUser, adminPassword } = await settings.instance(home.instance(id).folder)
  const credentials = Buffer.from(`${adminUser}:${adminPassword.reveal()}`).toString('base64')
  let answer: { readonly status: number; readonly text: string }
  try {
    const place = { port, owner: ownerOfPort(runtimes, refOf(context, instance)) }
    answer = await askOwner(place, {
      method: 'PUT',
      path: `/api/rest/User/_key/${encodeURIComponent(adminUser)}`,
      headers: { Authorization: `Basic ${credentials}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ usr_password: password }),
      signal: AbortSignal.timeout(timeoutMs),
    })
  } catch {
    return { result: 'silent' }
  }
  if (answer.status >= 200 && answer.status < 300) return undefined
  if (answer.status === 401) return { result: 'changed' }
  if (answer.status !== 400) return { result: 'silent' }
  const messages = messagesIn(answer.text)
  const least = Number(/at least (\d+)/.exec(messages.find(({ code }) => code === 'ERR_LENGTH')?.text ?? '')?.[1])
  return least > 0 ? { result: 'short', least } : { result: 'refused' }
}

function messagesIn(text: string): readonly { readonly code?: string; readonly text?: string }[] {
  try {
    const { messages = [] } = JSON.parse(text) as { readonly messages?: readonly { code?: string; text?: string }[] }
    return messages
  } catch {
    return []
  }
}
