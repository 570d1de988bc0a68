import type { Model, PlanOptions, SyncPlan } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { inOrder, stepOf } from './changes.js'
import { checkRows } from './check-rows.js'
import type { SchemaConnection } from './connection.js'
import { countLosses } from './count-losses.js'
import type { Catalogue, SchemaDialect, TypeRules } from './dialect.js'
import { planChanges, type Planned } from './plan.js'
import { planViews } from './plan-views.js'

export interface SyncOptions {
  /** Also do what could lose data: narrow or convert columns, drop those that no field uses. Default false. */
  readonly destructive?: boolean
}

/**
 * What `applySync` would do, without `destructive`.
 *
 * @throws StoreError `schema` when a table cannot serve its object at all, e.g. its row id column is missing; with `rows`
 *   that is the plan's `refusal`.
 */
export async function planSync(
  model: Model,
  connection: SchemaConnection,
  dialect: SchemaDialect,
  { rows = false }: PlanOptions = {},
): Promise<SyncPlan> {
  const found = await read(connection, dialect)
  if (!rows) return withSql(connection, planAll(model, found, dialect), dialect)
  let plan: SyncPlan = { steps: [], leftover: [] }
  try {
    const planned = planAll(model, found, dialect)
    plan = await withSql(connection, planned, dialect)
    plan = { ...plan, losses: await countLosses(connection, planned, dialect) }
    await checkRows(connection, planned.changes, dialect)
    return plan
  } catch (error) {
    if (!StoreError.is(error) || error.code !== 'schema') throw error
    return { ...plan, refusal: error.message }
  }
}

/**
 * Makes tables, columns, indexes and foreign keys follow the model, and returns what was done. Several servers may call
 * it at the same time: a lock of the database lets one after the other in.
 *
 * @throws StoreError `schema` when steps could lose data and `destructive` is not set, or when rows break a new unique
 * index or foreign key; nothing is changed then. Also when the database refuses a step; without `transactionalDdl` the
 * steps before it stay, and the next sync continues from there.
 */
export async function applySync(
  model: Model,
  connection: SchemaConnection,
  dialect: SchemaDialect,
  { destructive = false }: SyncOptions = {},
): Promise<SyncPlan> {
  const plan = async (): Promise<Planned> => {
    const planned = planAll(model, await read(connection, dialect), dialect, destructive)
    if (!destructive) refuseLosses(planned)
    return planned
  }
  const first = await plan()
  if (first.changes.length === 0) return toPlan(first)
  return dialect.exclusively(connection, async () => {
    // Another server may have synced while this one waited.
    const planned = await plan()
    await checkRows(connection, planned.changes, dialect)
    await dialect.apply(connection, planned.changes)
    return toPlan(planned)
  })
}

function planAll(
  model: Model,
  [catalogue, types]: readonly [Catalogue, TypeRules],
  { name }: SchemaDialect,
  destructive = false,
): Planned {
  const { changes, leftover } = planChanges(model, catalogue, types, destructive)
  return { changes: inOrder([...changes, ...planViews(model, catalogue, changes, name)]), leftover }
}

async function read(connection: SchemaConnection, dialect: SchemaDialect): Promise<[Catalogue, TypeRules]> {
  const catalogue = await dialect.read(connection)
  return [catalogue, catalogue.types ?? dialect.types]
}

function toPlan({ changes, leftover }: Planned): SyncPlan {
  return { steps: changes.map(stepOf), leftover }
}

/** The plan with what `apply` would run. */
async function withSql(connection: SchemaConnection, planned: Planned, dialect: SchemaDialect): Promise<SyncPlan> {
  const plan = toPlan(planned)
  const { changes } = planned
  if (changes.length === 0) return plan
  try {
    const script = await dialect.script(connection, changes)
    const sql = script.map(({ sql, changes: own }) => ({ sql, steps: own.map((change) => changes.indexOf(change)) }))
    return { ...plan, sql }
  } catch (error) {
    if (!StoreError.is(error) || error.code !== 'schema') throw error
    return { ...plan, noSql: error.message }
  }
}

function refuseLosses({ changes }: Planned): void {
  const losses = changes.map(stepOf).filter(({ destructive }) => destructive)
  if (losses.length === 0) return
  const list = losses.map(({ description }) => description).join('; ')
  const text = `Cannot sync: this could lose data: ${list}. Nothing was changed. Sync with "destructive" to do it anyway, or take back the change of the definition. (Columns of a table whose definition has a field "row_id" may be wider than their fields.)`
  throw new StoreError('schema', text)
}
