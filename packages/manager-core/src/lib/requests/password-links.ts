import { createHash, randomBytes } from 'node:crypto'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import type { InstanceRequest } from '../domain/request.js'
import { recordHistory } from '../history/record-history.js'
import { publicUrlOf } from '../settings/public-url.js'
import {
  giveBackPasswordLink,
  insertPasswordLink,
  passwordLinkIn,
  usePasswordLink,
  type PasswordLinkRow,
} from '../store/password-link-rows.js'
import { requestIn } from '../store/request-rows.js'
import { changeFirstPassword, type PasswordRefusal } from './first-password.js'
import { mailTo } from './mails.js'

/** How long a link can be used. Not specified; chosen so that a holiday of a week is bridged. */
const passwordWithinMs = 7 * 24 * 3_600_000

/** What a link of a mail is good for. `gone`: there is none, or its instance is not there any more. */
export type PasswordLink =
  | { readonly state: 'good' | 'used' | 'expired'; readonly request: InstanceRequest; readonly instance: Instance }
  | { readonly state: 'gone' }

/** `set`, or why not. */
export type PasswordOutcome =
  | { readonly result: 'set'; readonly address: string }
  | { readonly result: 'used' | 'expired' | 'gone' }
  | PasswordRefusal

/**
 * Mails the applicant a link to choose the password of its administrator. Links that were sent
 * for the request before are good for nothing from then on. Its address is that of APPS_BASEURL, whatever host was asked.
 *
 * The token follows `#`: browsers do not send it, so that it is in no log of a reverse proxy.
 */
export async function mailPasswordLink(
  context: ManagerContext,
  request: InstanceRequest,
  instance: Instance,
  kind: 'approved' | 'password',
): Promise<void> {
  const { registry, settings, home, clock } = context
  const token = randomBytes(32).toString('base64url')
  const expires = new Date(clock().getTime() + passwordWithinMs)
  registry.transaction(() =>
    insertPasswordLink(registry, hashOf(token), {
      request: request.id,
      instance_id: instance.id,
      expires: expires.toISOString(),
    }),
  )
  const { adminUser } = await settings.instance(home.instance(instance.id).folder)
  const until = new Intl.DateTimeFormat(request.language, { dateStyle: 'long', timeStyle: 'short' })
  await mailTo(context, { ...request, name: instance.name }, kind, {
    address: publicUrlOf(instance, settings.global),
    login: adminUser,
    link: `${settings.global.baseUrl}/register/password#${token}`,
    until: until.format(expires),
  })
}

/** What the link with this token is good for now. */
export function passwordLinkOf({ registry, clock }: ManagerContext, token: string): PasswordLink {
  const row = passwordLinkIn(registry, hashOf(token))
  const request = row && requestIn(registry, row.request)
  const instance = row && registry.byId(row.instance_id)
  if (!row || !request || !instance) return { state: 'gone' }
  return { state: stateOf(row, clock()), request, instance }
}

function stateOf({ used, expires }: PasswordLinkRow, now: Date): 'good' | 'used' | 'expired' {
  if (used !== '') return 'used'
  return expires > now.toISOString() ? 'good' : 'expired'
}

/** Sets the password by a link that is good; of several callers at the same time one. */
export async function setPasswordByLink(
  context: ManagerContext,
  token: string,
  password: string,
  { address }: { readonly address: string },
): Promise<PasswordOutcome> {
  const link = passwordLinkOf(context, token)
  if (link.state !== 'good') return { result: link.state }
  const { registry, clock } = context
  const hash = hashOf(token)
  const now = clock().toISOString()
  if (!registry.transaction(() => usePasswordLink(registry, hash, now))) return { result: 'used' }
  const giveBack = () => registry.transaction(() => giveBackPasswordLink(registry, hash))
  let refusal: PasswordRefusal | undefined
  try {
    refusal = await changeFirstPassword(context, link.instance, password)
  } catch (error) {
    giveBack()
    throw error
  }
  if (refusal) {
    giveBack()
    return refusal
  }
  const { id, name } = link.instance
  const caller = { actor: link.request.email, surface: 'api', address } as const
  const entry = { action: 'password', instance: { id, name }, parameters: { request: link.request.id } }
  await recordHistory(context, caller, entry, async () => ({
    message: 'The administrator already has a password.',
  }))
  return { result: 'set', address: publicUrlOf(link.instance, context.settings.global) }
}

/** Mails another link instead of one that has expired. @returns false: it has not, or is not there */
export async function renewPasswordLink(context: ManagerContext, token: string): Promise<boolean> {
  const link = passwordLinkOf(context, token)
  if (link.state !== 'expired') return false
  await mailPasswordLink(context, link.request, link.instance, 'password')
  return true
}

/** It is random, so that a plain hash is enough. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
