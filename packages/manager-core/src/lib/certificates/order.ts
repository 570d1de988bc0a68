import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Agent as PlainAgent, get as getPlain, type Agent } from 'node:http'
import { Agent as SecureAgent, get as getSecure } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates } from 'node:tls'
import type { Authorization, Client } from 'acme-client'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { AcmeSettings } from '../settings/settings.js'
import { sentence } from '../system/failure.js'
import { accountKey } from './account.js'
import { certificateOf, covers } from './certificate.js'
import { challengePath, forgetChallenges, putChallenge, removeChallenge } from './challenges.js'

/** How long an authority may take for one answer, and for its look at the hosts or its signature. */
const answerMs = 30_000
const waitMs = 120_000

export interface OrderOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * Has an authority certify that these hosts are ours, by HTTP-01: it asks each of them for a file. The caller holds the lock
 * `certificates`.
 *
 * @throws ManagerError ERR_FAILED with what the authority says; ERR_SETTINGS
 */
export async function orderCertificate(
  { home }: Pick<ManagerContext, 'home'>,
  { directory, email, caFile }: AcmeSettings,
  hosts: readonly string[],
  { signal }: OrderOptions = {},
): Promise<{ readonly certificate: string; readonly key: string }> {
  // It takes longer to load than most commands to run.
  const { default: acme } = await import('acme-client')
  acme.axios.defaults.timeout = answerMs
  const agent = await agentFor(directory, caFile)
  Object.assign(acme.axios.defaults, { httpAgent: agent, httpsAgent: agent })
  // It would wait for hours when the server asks for that; attempts have pauses of their own.
  Object.assign(acme.axios.defaults, { acmeSettings: { retryMaxAttempts: 0, retryDefaultDelay: 1 } })
  await forgetChallenges(home)
  const newKey = async () => (await acme.crypto.createPrivateEcdsaKey('P-256')).toString()
  try {
    await reach(directory, agent, signal)
    const client = new acme.Client({
      directoryUrl: directory,
      accountKey: await accountKey(home, directory, newKey),
    })
    // A key that the authority knows already belongs to the same account.
    await client.createAccount({
      termsOfServiceAgreed: true,
      ...(email !== undefined && { contact: [`mailto:${email}`] }),
    })
    const order = await client.createOrder({ identifiers: hosts.map((value) => ({ type: 'dns', value })) })
    await proveHosts({ home }, client, () => client.getAuthorizations(order), signal)
    const key = await newKey()
    const [, csr] = await acme.crypto.createCsr({ commonName: hosts[0]!, altNames: [...hosts] }, key)
    await client.finalizeOrder(order, csr)
    const done = await until('it signs', signal, async () => {
      const now = await client.getOrder(order)
      return now.status === 'processing' ? undefined : now
    })
    const certificate = await client.getCertificate(done)
    checkAnswer(certificate, key, hosts)
    return { certificate, key }
  } catch (error) {
    signal?.throwIfAborted()
    throw translate(error, directory, hosts)
  } finally {
    agent.destroy()
  }
}

/** Has it look at each host that it has not seen lately. */
async function proveHosts(
  { home }: Pick<ManagerContext, 'home'>,
  client: Client,
  authorizations: () => Promise<readonly Authorization[]>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const tokens: string[] = []
  try {
    for (const authorization of await authorizations()) {
      if (authorization.status === 'valid') continue
      const challenge = authorization.challenges.find(({ type }) => type === 'http-01')
      if (!challenge) throw new Error(`${authorization.identifier.value}: it offers no HTTP challenge`)
      tokens.push(challenge.token)
      await putChallenge(home, challenge.token, await client.getChallengeKeyAuthorization(challenge))
      await client.completeChallenge(challenge)
    }
    await until('it looks at the hosts', signal, async () => {
      const now = await authorizations()
      const refused = now.filter(({ status }) => status !== 'pending' && status !== 'valid')
      if (refused.length > 0) throw new Error(refused.map(whyRefused).join('; '))
      return now.every(({ status }) => status === 'valid') ? now : undefined
    })
  } finally {
    for (const token of tokens) await removeChallenge(home, token)
  }
}

function whyRefused({ identifier, status, challenges }: Authorization): string {
  const error = challenges.find((one) => one.error !== undefined)?.error
  const detail = error && 'detail' in error ? String(error.detail) : `it is ${status}`
  return `${identifier.value}: ${detail}`
}

/** Asks again and again, seldom at last. */
async function until<T>(what: string, signal: AbortSignal | undefined, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + waitMs
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 1.5, 5000)) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`after ${waitMs / 1000} s ${what} still`)
    await sleep(pauseMs, undefined, { signal })
  }
}

/** For one order: connections are kept, as each would read all authorities again. */
async function agentFor(directory: string, caFile: string | undefined): Promise<Agent> {
  if (!directory.startsWith('https:')) return new PlainAgent({ keepAlive: true })
  try {
    const ca = caFile === undefined ? undefined : [...getCACertificates(), await readFile(caFile, 'utf8')]
    return new SecureAgent({ keepAlive: true, ...(ca && { ca }) })
  } catch (error) {
    throw new ManagerError('ERR_SETTINGS', `APPS_ACMECA cannot be read: ${(error as Error).message}.`, { cause: error })
  }
}

/** What does not fit would take HTTPS away from the hosts. */
function checkAnswer(certificate: string, key: string, hosts: readonly string[]): void {
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error('it sent a certificate for another key')
  if (!covers(certificateOf(certificate), hosts)) throw new Error('it sent a certificate for other hosts')
}

/** The library does not say why an authority cannot be reached. @throws ManagerError ERR_FAILED */
async function reach(directory: string, agent: Agent, signal: AbortSignal | undefined): Promise<void> {
  const get = directory.startsWith('https:') ? getSecure : getPlain
  await new Promise<void>((resolve, reject) => {
    const request = get(directory, { agent, timeout: answerMs, ...(signal && { signal }) }, (answer) => {
      answer.resume()
      if (answer.statusCode === 200) resolve()
      else reject(unreachable(directory, `it answers ${answer.statusCode}`))
    })
    request.once('timeout', () => request.destroy(new Error('it does not answer')))
    request.once('error', (error) => reject(signal?.aborted ? error : unreachable(directory, error.message)))
  })
}

function unreachable(directory: string, why: string): ManagerError {
  return new ManagerError('ERR_FAILED', `The authority ${directory} cannot be reached: ${sentence(why)}`, {
    help: 'Check APPS_ACMEDIRECTORY and the network. For your own authority, set APPS_ACMECA.',
  })
}

function translate(error: unknown, directory: string, hosts: readonly string[]): ManagerError {
  if (ManagerError.is(error)) return error
  // What the library throws when there is no answer.
  if (error instanceof TypeError) return unreachable(directory, 'the connection was lost')
  const said = sentence((error as Error).message || 'it gave no reason')
  return new ManagerError('ERR_FAILED', `No certificate was issued for ${hosts.join(', ')}: ${said}`, {
    help:
      `Check that the authority can reach http://<host>${challengePath}… on each host: the name must resolve to ` +
      'this machine, with the reverse proxy or "serve" on port 80.',
  })
}
