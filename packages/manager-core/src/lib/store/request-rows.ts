import type { Decision, InstanceRequest } from '../domain/request.js'
import { sqlite, type Queryable } from './sqlite.js'

const columns = [
  'id',
  'name',
  'version',
  'email',
  'firstname',
  'lastname',
  'phone',
  'company',
  'status',
  'instance',
  'created',
  'confirmed',
  'decided',
  'decided_by',
  'note',
  'language',
  'address',
].join(', ')

/** Returned with an approved request until its mail was sent: its process may end before. */
export const notTold = 'The person has not been notified yet: approve it again to send the mail.'

/** The newest first. */
export function requestsIn({ [sqlite]: database }: Queryable): readonly InstanceRequest[] {
  return database.prepare(`select ${columns} from request order by id desc`).all() as unknown as InstanceRequest[]
}

export function requestIn({ [sqlite]: database }: Queryable, id: number): InstanceRequest | undefined {
  return database.prepare(`select ${columns} from request where id = ?`).get(id) as InstanceRequest | undefined
}

/** @param hash of the token of the link in the mail */
export function requestByToken({ [sqlite]: database }: Queryable, hash: string): InstanceRequest | undefined {
  return database.prepare(`select ${columns} from request where token_hash = ?`).get(hash) as
    | InstanceRequest
    | undefined
}

export type NewRequest = Omit<
  InstanceRequest,
  'id' | 'status' | 'instance' | 'confirmed' | 'decided' | 'decided_by' | 'note'
>

/** Unconfirmed. @returns its id */
export function insertRequest({ [sqlite]: database }: Queryable, request: NewRequest, tokenHash: string): number {
  const row = { ...request, status: 'unconfirmed', token_hash: tokenHash }
  const names = Object.keys(row)
  const statement = database.prepare(
    `insert into request (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
  )
  return Number(statement.run(...Object.values(row)).lastInsertRowid)
}

export function updateRequest(
  { [sqlite]: database }: Queryable,
  id: number,
  values: Partial<Omit<InstanceRequest, 'id'>> & { readonly token_hash?: string },
): void {
  const assignments = Object.keys(values).map((name) => `${name} = ?`)
  database.prepare(`update request set ${assignments.join(', ')} where id = ?`).run(...Object.values(values), id)
}

/** Part of the transaction in which its instance comes to be. */
export function approveRequest(registry: Queryable, { request, by, at }: Decision, instance: string): void {
  updateRequest(registry, request, { status: 'approved', instance, decided: at, decided_by: by, note: notTold })
}

/** Requests follow the instances that they became. */
export function renameInRequests({ [sqlite]: database }: Queryable, from: string, to: string): void {
  database.prepare('update request set instance = ? where instance = ?').run(to, from)
}

export function deleteRequest({ [sqlite]: database }: Queryable, id: number): void {
  database.prepare('delete from request where id = ?').run(id)
}

/** Removes those that were not confirmed, with all that they hold about a person. */
export function expireRequests({ [sqlite]: database }: Queryable, before: Date): void {
  database.prepare(`delete from request where status = 'unconfirmed' and created < ?`).run(before.toISOString())
}
