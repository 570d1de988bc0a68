import type { SignInValues } from '@steward/page-kit'
import type { SessionAnswer, SignedInUser } from '../../lib/session/session-answer.js'
import { sessionAddress } from './addresses.js'
import type { FailureBody } from './answer.js'
import { ApiFailure } from './api.js'
import { t } from './i18n.js'
import { keepSessionKey, pageHeaders } from './session-key.js'

/** The browser did not send back the cookie that it got. */
class NoCookies extends Error {}

/** @throws ApiFailure, NoCookies */
export async function signIn(values: SignInValues): Promise<SignedInUser> {
  const { key } = await call('POST', values)
  keepSessionKey(key)
  const { item } = await call('GET')
  if (!item) throw new NoCookies()
  return item
}

/** Null: no user is signed in. @throws ApiFailure */
export async function whoIsSignedIn(): Promise<SignedInUser | null> {
  return (await call('GET')).item
}

/** @throws ApiFailure */
export async function signOut(): Promise<void> {
  await call('DELETE')
  keepSessionKey(undefined)
}

/** Why that failed, for the user. */
export function signInFailureText(failure: unknown): string {
  if (failure instanceof NoCookies) return t('signin.cookies')
  const { status, message } = failure as ApiFailure
  if (status === 0) return t('failure.network')
  if (status === 401) return t('signin.wrong')
  return status === 429 ? t('signin.tooMany') : message
}

async function call(method: 'GET' | 'POST' | 'DELETE', values?: SignInValues): Promise<SessionAnswer> {
  let response: Response
  let body: SessionAnswer & FailureBody
  try {
    response = await fetch(sessionAddress, {
      method,
      headers: { ...pageHeaders(), ...(values && { 'Content-Type': 'application/json' }) },
      ...(values && { body: JSON.stringify(values) }),
    })
    body = (await response.json()) as typeof body
  } catch (error) {
    throw new ApiFailure(0, { message: (error as Error).message })
  }
  if (!response.ok) throw new ApiFailure(response.status, body)
  return body
}
