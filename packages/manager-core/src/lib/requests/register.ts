import { createHash, randomBytes } from 'node:crypto'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { checkName, randomName } from '../domain/names.js'
import { faultOfOwner } from '../domain/owner.js'
import type { InstanceRequest, RequestLanguage } from '../domain/request.js'
import { recordHistory } from '../history/record-history.js'
import { RecipientRefused } from '../mail/mail.js'
import { deleteRequest, insertRequest, requestByToken, requestsIn, updateRequest } from '../store/request-rows.js'
import { checkRequestsAllowed, confirmWithinMs, forgetUnconfirmed, whyClosed } from './availability.js'
import { mailOperator, mailTo } from './mails.js'

/** What a person has written into the form. Empty: not said. */
export interface Registration {
  readonly name: string
  readonly version: string
  readonly email: string
  readonly firstname: string
  readonly lastname: string
  readonly phone: string
  readonly company: string
}

export interface RegisterOptions {
  readonly language: RequestLanguage
  /** IP address that it comes from. */
  readonly address: string
}

/** What is wrong with a value of the form; surfaces say it in the language of the person. */
export type RegistrationFault =
  | 'missing'
  | 'no-name'
  | 'taken'
  | 'no-version'
  | 'no-address'
  | 'undeliverable'
  | 'too-long'
  | 'invisible'
export type RegistrationFaults = Readonly<Partial<Record<keyof Registration, RegistrationFault>>>

/** Limits of what is not confirmed, against floods of a mailbox or the disk. Not specified; chosen. */
const mostOfAddress = 3
const mostUnconfirmed = 1000

/**
 * Notes a request for an instance and mails a link to confirm it. An address that has too many unconfirmed requests gets no
 * more mails, and the answer is the same: it must not reveal to strangers who has registered.
 *
 * @returns what is wrong; empty: nothing, a mail was sent
 * @throws ManagerError ERR_STATE when registration is not allowed or not possible; ERR_LIMIT when too many requests wait;
 *   ERR_FAILED when the mail cannot be sent
 */
export async function register(
  context: ManagerContext,
  registration: Registration,
  { language, address }: RegisterOptions,
): Promise<RegistrationFaults> {
  checkOpen(context)
  forgetUnconfirmed(context)
  const faults = await faultsOf(context, registration)
  if (Object.keys(faults).length > 0) return faults

  const { registry } = context
  const unconfirmed = requestsIn(registry).filter(({ status }) => status === 'unconfirmed')
  if (unconfirmed.length >= mostUnconfirmed)
    throw new ManagerError('ERR_LIMIT', 'Too many requests are waiting for confirmation.', {
      help: 'Try again tomorrow.',
    })
  const mailbox = mailboxOf(registration.email)
  if (unconfirmed.filter((one) => mailboxOf(one.email) === mailbox).length >= mostOfAddress) return {}

  const now = context.clock()
  const request = { ...registration, name: registration.name || randomName(), language, address }
  const token = randomBytes(32).toString('base64url')
  const id = registry.transaction(() =>
    insertRequest(registry, { ...request, created: now.toISOString() }, hashOf(token)),
  )
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' })
  try {
    // Without the names: they would carry a stranger's words into a mailbox.
    await mailTo(context, { ...request, firstname: '', lastname: '' }, 'confirm', {
      link: `${context.settings.global.baseUrl}/register/confirm?token=${token}`,
      until: until.format(now.getTime() + confirmWithinMs),
    })
  } catch (error) {
    registry.transaction(() => deleteRequest(registry, id))
    if (error instanceof RecipientRefused) return { email: 'undeliverable' }
    throw error
  }
  return {}
}

/** Where mails to an address arrive, for counting: `Ada.L+1@x.org` and `adal@x.org` are one mailbox at many providers. */
function mailboxOf(email: string): string {
  const address = email.toLowerCase()
  const at = address.lastIndexOf('@')
  return address.slice(0, at).replace(/\+.*$/, '').replaceAll('.', '') + address.slice(at)
}

/** The request that a link of a mail is about; undefined: there is none (any more). */
export function requestOfLink(context: ManagerContext, token: string): InstanceRequest | undefined {
  checkRequestsAllowed(context)
  forgetUnconfirmed(context)
  return requestByToken(context.registry, hashOf(token))
}

/**
 * The person has confirmed: the operator is notified, and decides. May be repeated.
 *
 * @returns undefined: there is no such request (any more)
 */
export async function confirmRequest(
  context: ManagerContext,
  token: string,
  { address }: Pick<RegisterOptions, 'address'>,
): Promise<InstanceRequest | undefined> {
  const request = requestOfLink(context, token)
  if (request?.status !== 'unconfirmed') return request
  const { id, name, email, version } = request
  const { registry } = context
  const confirmed = { status: 'confirmed', confirmed: context.clock().toISOString() } as const
  const caller = { actor: email, surface: 'api', address } as const
  const entry = { action: 'register', instance: { id: '', name }, parameters: { request: id, version } }
  await recordHistory(context, caller, entry, async () => {
    registry.transaction(() => updateRequest(registry, id, confirmed))
    const message = `Request ${id} is confirmed.`
    try {
      await mailOperator(context, { ...request, ...confirmed })
      return { message }
    } catch (error) {
      const warning = `The operator was not notified: ${(error as Error).message}`
      registry.transaction(() => updateRequest(registry, id, { note: warning.slice(0, 500) }))
      return { message, warnings: [warning] }
    }
  })
  return { ...request, ...confirmed }
}

/**
 * Checks that registration is open: enabled, with a mail server, an address of the operator and a version to offer.
 *
 * @throws ManagerError ERR_STATE with the reason when it is closed
 */
export function checkOpen(context: Pick<ManagerContext, 'settings' | 'registry'>): void {
  checkRequestsAllowed(context)
  const reason = whyClosed(context)
  if (reason !== undefined) throw new ManagerError('ERR_STATE', reason)
}

async function faultsOf(context: ManagerContext, registration: Registration): Promise<RegistrationFaults> {
  const { name, version, email, firstname, lastname, phone, company } = registration
  const versions = await context.templates.list()
  const owner = { ownerEmail: email, firstname, lastname, phone, company } as const
  const found: Partial<Record<keyof Registration, RegistrationFault | undefined>> = {
    name: name === '' ? undefined : faultOfName(context, name),
    version: versions.some((one) => one.version === version) ? undefined : 'no-version',
    email: email === '' ? 'missing' : faultOfOwner('ownerEmail', owner.ownerEmail),
    ...Object.fromEntries(
      (['firstname', 'lastname', 'phone', 'company'] as const).map((key) => [key, faultOfOwner(key, owner[key])]),
    ),
  }
  return Object.fromEntries(Object.entries(found).filter(([, fault]) => fault !== undefined))
}

function faultOfName(context: ManagerContext, name: string): RegistrationFault | undefined {
  try {
    checkName(name)
  } catch {
    return 'no-name'
  }
  // An unconfirmed one takes no name: else names could be taken from others with unread addresses.
  const isAsked = requestsIn(context.registry).some(
    (one) => one.status === 'confirmed' && one.name.toLowerCase() === name.toLowerCase(),
  )
  return isAsked || context.registry.find(name) ? 'taken' : undefined
}

/** It is random, so that a plain hash is enough. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
