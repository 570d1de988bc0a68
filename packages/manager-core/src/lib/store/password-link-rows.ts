import { sqlite, type Queryable } from './sqlite.js'

/** A link of a mail by which a person chooses the password of an instance. Dates are ISO 8601 in UTC; empty: not yet. */
export interface PasswordLinkRow {
  readonly request: number
  readonly instance_id: string
  readonly expires: string
  readonly used: string
}

/** The only one of its request from now on. @param hash of its token */
export function insertPasswordLink(
  { [sqlite]: database }: Queryable,
  hash: string,
  link: Omit<PasswordLinkRow, 'used'>,
): void {
  database.prepare('delete from password_link where request = ?').run(link.request)
  database
    .prepare('insert into password_link (token_hash, request, instance_id, expires) values (?, ?, ?, ?)')
    .run(hash, link.request, link.instance_id, link.expires)
}

export function passwordLinkIn({ [sqlite]: database }: Queryable, hash: string): PasswordLinkRow | undefined {
  return database
    .prepare('select request, instance_id, expires, used from password_link where token_hash = ?')
    .get(hash) as PasswordLinkRow | undefined
}

/** @returns false: it was used */
export function usePasswordLink({ [sqlite]: database }: Queryable, hash: string, now: string): boolean {
  const { changes } = database
    .prepare("update password_link set used = ? where token_hash = ? and used = '' and expires > ?")
    .run(now, hash, now)
  return changes === 1
}

/** The password was not taken: it can be used once more. */
export function giveBackPasswordLink({ [sqlite]: database }: Queryable, hash: string): void {
  database.prepare("update password_link set used = '' where token_hash = ?").run(hash)
}
