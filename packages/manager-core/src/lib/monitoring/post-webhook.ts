import type { Json } from '../domain/json.js'
import type { Secret } from '../domain/secret.js'

/** How long an answer may take, in ms. */
const timeoutMs = 10_000

/**
 * Posts JSON to an address. Never rejects.
 *
 * @param address may hold a token, or a user and a password, so that nothing of it is in what is returned
 * @returns why it was not taken
 */
export async function postWebhook(address: Secret, body: Json, signal: AbortSignal): Promise<string | undefined> {
  const url = URL.parse(address.reveal())
  if (!url || !/^https?:$/.test(url.protocol))
    return 'The alert could not be posted: APPS_ALERTWEBHOOK is not a valid address.'
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'User-Agent': 'steward-manager' }
  if (url.username !== '') {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers['Authorization'] = `Basic ${Buffer.from(user).toString('base64')}`
    url.username = url.password = ''
  }
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      // A token is for one address only.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await answer.body?.cancel()
    return answer.ok ? undefined : `The alert could not be posted: APPS_ALERTWEBHOOK answered with ${answer.status}.`
  } catch (error) {
    return `The alert could not be posted to APPS_ALERTWEBHOOK: ${codeOf(error)}.`
  }
}

/** Only the code: a message may quote secrets. */
function codeOf(error: unknown): string {
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } }
  if (name === 'TimeoutError') return `no answer in ${timeoutMs / 1000} s`
  return cause?.code ?? name
}
