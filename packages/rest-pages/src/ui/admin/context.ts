import type { ObjectMetadata } from '@steward/rest-core'
import { exactly, type AnyRecord } from '@steward/rest-client'
import { listObjects, metadataOf, offersView, type ObjectInfo } from '../lib/service.js'
import { client } from '../lib/session.js'
import { administrators } from '../lib/sections.js'

/** What the views of the administration know of the user and of the system objects. */
export interface Admin {
  readonly objects: readonly ObjectInfo[]
  /** Metadata of a system object; undefined: the user may not see it. */
  readonly of: (object: string) => ObjectMetadata | undefined
  /** The user may see what another one sees. */
  readonly offersView: boolean
  readonly login: string
  /** Whether this user may put others into a group, and take them out of it. Source: docs/rules.md, "Rights". */
  readonly mayFill: (group: string) => boolean
  /** Whether this user may change one who is in these groups. */
  readonly mayChange: (groups: readonly string[]) => boolean
}

const used = ['User', 'Group', 'Responsibility', 'Grant', 'Webhook', 'WebhookDelivery', 'BackgroundTask', 'SystemParam']

/** @throws RestClientError */
export async function readAdmin(): Promise<Admin> {
  const [objects, mayView, { user }] = await Promise.all([listObjects(), offersView(), client.info()])
  const seen = used.filter((name) => objects.some((one) => one.name === name))
  const metadata = new Map(await Promise.all(seen.map(async (name) => [name, await metadataOf(name, 'list')] as const)))
  const { login, responsibilities } = user as { readonly login: string; readonly responsibilities: readonly string[] }
  const isAdministrator = responsibilities.includes(administrators)
  return {
    objects,
    of: (name) => metadata.get(name),
    offersView: mayView,
    login,
    mayFill: (group) => isAdministrator || (group !== administrators && responsibilities.includes(group)),
    mayChange: (groups) => isAdministrator || !groups.includes(administrators),
  }
}

/** All records that match; for objects that have no more than some thousand. */
export async function allOf(
  object: string,
  filters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<AnyRecord[]> {
  const found: AnyRecord[] = []
  for await (const record of client.object(object).search({ filters, signal })) found.push(record)
  return found
}

/** Records whose field is one of these values; none for none. */
export async function allAmong(
  object: string,
  field: string,
  values: readonly string[],
  signal: AbortSignal,
): Promise<AnyRecord[]> {
  return values.length === 0 ? [] : allOf(object, { [field]: `in (${values.map(quoted).join(', ')})` }, signal)
}

/** Records whose field has this value. */
export function allWith(object: string, field: string, value: string, signal: AbortSignal): Promise<AnyRecord[]> {
  return allOf(object, { [field]: exactly(value) }, signal)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
