import { describeApplication, type ObjectDescription } from '../anonymise/application.js'
import { needManifest } from '../backup/manifest.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { failureOf } from '../system/failure.js'
import { isBookkeeping } from './bookkeeping.js'
import { snapshotOf, type RestorePoint } from './restore-points.js'

/** What a rollback would take away from the records of an object, or from a table that belongs to none. */
export type Loss = {
  readonly object: string
  /** Rows now; `null`: the table is gone. */
  readonly now: number | null
  /** Rows then; `null`: the table did not exist. */
  readonly before: number | null
  /** Rows that were added or changed since; `null`: not known, as it does not record when. */
  readonly changed: number | null
}

/** In sentences, for people who decide; one that says that nothing is known when that is so. */
export async function lossNotes(
  context: ManagerContext,
  instance: Instance,
  point: RestorePoint,
): Promise<readonly string[]> {
  try {
    const losses = await lossesOf(context, instance, point)
    if (losses.length === 0) return ['No rows were added, changed or removed since, as far as objects record changes.']
    return losses.map(sentenceOf)
  } catch (error) {
    return [`The data that would be lost is unknown: ${failureOf(error).message}`]
  }
}

async function lossesOf(context: ManagerContext, { id }: Instance, point: RestorePoint): Promise<readonly Loss[]> {
  const { home, settings, databases } = context
  const { folder, app } = home.instance(id)
  const [own, manifest] = await Promise.all([settings.instance(folder), needManifest(snapshotOf(point.folder))])
  const account = databases.account(folder, own)
  const server = databases.server(own.database)
  const [{ rows }, objects] = await Promise.all([
    server.statistics(account),
    // An application that does not work is the reason for a rollback.
    describeApplication(context, app, { folder, settings: own }).then(
      (described) => described.objects,
      () => [],
    ),
  ])
  const columns = Object.fromEntries(objects.flatMap((object) => changeColumnOf(object) ?? []))
  const time = manifest.finished.slice(0, 19).replace('T', ' ')
  const changed = await server.changedSince(account, { time, columns })
  const objectOf = new Map(objects.map((object) => [object.table, object]))
  const rowsThen = manifest.database.rows
  return [...new Set([...Object.keys(rowsThen), ...Object.keys(rows)])].toSorted().flatMap((table) => {
    if (isBookkeeping(table)) return []
    const object = objectOf.get(table)
    const loss = {
      object: object?.name ?? table,
      now: rows[table] ?? null,
      before: rowsThen[table] ?? null,
      changed: changed[table] ?? null,
    }
    // What the application keeps for itself, such as leases, is not the work of a user.
    const isUnknown = loss.changed === null && object?.system !== true
    return loss.now !== loss.before || isUnknown || (loss.changed ?? 0) > 0 ? [loss] : []
  })
}

function changeColumnOf({ table, fields }: ObjectDescription): readonly [readonly [string, string]] | undefined {
  const field = fields.find(({ name, technical }) => technical && name === 'updated_dt')
  return field && [[table, field.column]]
}

function sentenceOf({ object, now, before, changed }: Loss): string {
  if (before === null) return `${object}: all ${rowsOf(now ?? 0)}, because the table did not exist.`
  const counts = now === null ? `${before} then, the table no longer exists` : `${before} then, ${now} now`
  const what =
    changed === null
      ? 'whether rows were changed is unknown, because it does not record changes'
      : `${rowsOf(changed)} added or changed since`
  return `${object}: ${what} (${counts}).`
}

function rowsOf(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`
}
