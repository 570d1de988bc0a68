import { expect } from 'vitest'
import type { FieldDefinition, ObjectDefinition } from '../definition/definition.js'
import { createModel } from '../model/create-model.js'
import type { BusinessRecord, Model, ObjectModel } from '../model/model.js'
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

  /** A table of its own per test, and one of a child object, when `define` is given fields of it. */
  function makeTable() {
    const name = unique('Thing').replace('-', '')
    const childName = `${name}Child`
    const thing = (model: Model): ObjectModel => [...model.objects.values()][0] as ObjectModel
    return {
      /** Name of the object. */
      name,
      table: name.toLowerCase(),
      /** A model with these fields. Tables are named by the objects, because a table with a name in the definition belongs to another owner. */
      define(fields: Fields, childFields?: Fields, more?: Partial<ObjectDefinition>): Model {
        const definitions: ObjectDefinition[] = [{ name, timestamps: false, fields, ...more }]
        if (childFields) definitions.push({ name: childName, timestamps: false, fields: childFields })
        return createModel(definitions)
      },
      thing,
      child: (model: Model): ObjectModel => model.object(childName),
      insert: (model: Model, values: Values): Promise<BusinessRecord> =>
        used.store.insert(thing(model), values, everything(thing(model))),
      rows(model: Model): Promise<BusinessRecord[]> {
        const object = thing(model)
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
    const { sql, noSql, ...done } = plan
    // Each step is in a statement of the script, where there is one.
    const places = new Set(sql?.flatMap(({ steps }) => steps) ?? plan.steps.keys())
    expect([...places].toSorted((a, b) => a - b)).toStrictEqual([...plan.steps.keys()])
    expect(sql && noSql).toBeUndefined()
    expect(await used.store.sync(given)).toStrictEqual(done)
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
