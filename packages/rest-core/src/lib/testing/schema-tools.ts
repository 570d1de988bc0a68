import { expect } from 'vitest'
import type { FieldDefinition, ObjectDefinition } from '../definition/definition.js'
import { createModel } from '../model/create-model.js'
import type { BusinessRecord, Model } from '../model/model.js'
import type { SyncPlan, Values } from '../store.js'
import { expectIsStoreError } from './failures.js'
import { everything, readAll } from './reading.js'
import { unique, type UsedStore } from './store-under-test.js'

export type Fields = Readonly<Record<string, FieldDefinition>>

/** The plan when the tables follow the model. */
export const nothing: SyncPlan = { steps: [], leftover: [] }

export type SchemaTools = ReturnType<typeof schemaTools>

export function schemaTools(used: UsedStore) {
  return { makeTable, expectSynced, expectDestructive }

  /** A table of its own per test: `define` gives a model of it with these fields, `rows` what it holds. */
  function makeTable(): {
    readonly table: string
    define(fields: Fields, more?: Partial<ObjectDefinition>, others?: readonly ObjectDefinition[]): Model
    insert(model: Model, values: Values): Promise<BusinessRecord>
    rows(model: Model): Promise<BusinessRecord[]>
  } {
    const table = unique('table').replace('-', '_')
    return {
      table,
      define: (fields, more, others = []) =>
        createModel([{ name: 'Thing', table, timestamps: false, fields, ...more }, ...others]),
      insert: (given, values) => used.store.insert(given.object('Thing'), values, everything(given.object('Thing'))),
      async rows(given) {
        const object = given.object('Thing')
        return readAll(used.store.search(object, { select: everything(object), order: object.order }))
      },
    }
  }

  /** Expects that sync does what was planned, losing nothing, and that nothing is left to do. */
  async function expectSynced(given: Model, kinds?: readonly string[]): Promise<SyncPlan> {
    const plan = await used.store.plan(given)
    if (kinds) expect([...new Set(plan.steps.map(({ kind }) => kind))]).toStrictEqual(kinds)
    for (const step of plan.steps) {
      expect(step.destructive, step.description).toBe(false)
      expect(step.description).not.toBe('')
    }
    expect(await used.store.sync(given)).toStrictEqual(plan)
    expect((await used.store.plan(given)).steps).toStrictEqual([])
    return plan
  }

  /** Expects that sync refuses, naming a step, and changes nothing; then that it is done when asked for. */
  async function expectDestructive(given: Model, unchanged: () => Promise<unknown>): Promise<void> {
    const [plan, before] = [await used.store.plan(given), await unchanged()]
    const destructive = plan.steps.filter((step) => step.destructive)
    expect(destructive.length).toBeGreaterThan(0)
    const error: unknown = await used.store.sync(given).catch((refusal: unknown) => refusal)
    expectIsStoreError('schema', error)
    for (const step of destructive) expect((error as Error).message).toContain(step.description)
    expect(await used.store.plan(given)).toStrictEqual(plan)
    expect(await unchanged()).toStrictEqual(before)
    await used.store.sync(given, { destructive: true })
    expect(await used.store.plan(given)).toStrictEqual(nothing)
  }
}
