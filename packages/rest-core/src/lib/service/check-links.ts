import type { ErrorMessage } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { and } from '../filter/combine.js'
import type { Access } from '../rights/access.js'
import type { Link } from '../rights/links.js'
import type { StoreSession } from '../store.js'
import { missingReference } from './store-errors.js'

/**
 * Messages about references that a request sets to records that the writer may not read: the same as for records that are
 * not there. One that already holds the value may be sent back.
 *
 * @param rowId Of the record that is changed; absent: it is new.
 */
export async function checkLinks(
  session: StoreSession,
  access: Access,
  links: readonly Link[],
  given: Readonly<Record<string, FieldValue>>,
  rowId: string | undefined,
): Promise<ErrorMessage[]> {
  const messages: ErrorMessage[] = []
  for (const { field, to } of links) {
    const id = given[field.name] as string
    const { target } = field
    if (to !== 'none' && (await session.get(target, id, { select: target.select([]), where: to }))) continue
    if (rowId !== undefined && (await isUnchanged(session, access, rowId, field.name, id))) continue
    messages.push(missingReference(field, id))
  }
  return messages
}

/** Only for a value that the writer may read: to others the answer would reveal it. */
async function isUnchanged(
  session: StoreSession,
  access: Access,
  rowId: string,
  name: string,
  value: string,
): Promise<boolean> {
  const { object } = access
  if (!access.may('R') || access.hides(object.readable.get(name) as never)) return false
  const where = and(access.need('R'), { op: '=', field: name, value })
  return (await session.get(object, rowId, { select: object.select([]), where })) !== undefined
}
