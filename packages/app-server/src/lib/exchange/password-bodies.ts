import { stat } from 'node:fs/promises'
import type { BusinessObjects, Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { ImportRecord } from './import-record.js'

/** Bodies to write records with passwords by, whose hashes are there already; by the number of the record, from 0. */
export type PasswordBodies = ReadonlyMap<number, Record<string, unknown>>

/**
 * Hashes the passwords of all records of a file: one takes long, and a transaction that waits for it keeps others from
 * writing. What is wrong with the file is left for its import to find, and so are the passwords of what can be read only once.
 *
 * @param read reads the file from its start
 */
export async function hashPasswordsOf(
  service: BusinessObjects,
  principal: Principal,
  path: string,
  read: () => AsyncIterable<ImportRecord>,
): Promise<PasswordBodies> {
  const bodies = new Map<number, Record<string, unknown>>()
  const fields = new Map<string, readonly string[]>()
  for (const { name, fields: all } of service.model.objects.values()) {
    const passwords = all.filter(({ type }) => type.name === 'password')
    if (passwords.length > 0)
      fields.set(
        name,
        passwords.map((field) => field.name),
      )
  }
  if (fields.size === 0 || !(await isFile(path))) return bodies
  try {
    let number = 0
    for await (const { object, action, values } of read()) {
      const given = action === 'delete' ? [] : (fields.get(object) ?? []).filter((name) => values.has(name))
      if (given.length > 0) {
        // Without a prototype, since files choose the other names.
        const body: Record<string, unknown> = Object.create(null)
        for (const name of given) body[name] = values.get(name)
        await service.hashPasswords(principal, object, [body])
        bodies.set(number, body)
      }
      number++
    }
  } catch (error) {
    if (!RestError.is(error) || error.status >= 500) throw error
  }
  return bodies
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
