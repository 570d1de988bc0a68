import { beforeEach, describe, expect, test } from 'vitest'
import { model } from './model.js'
import { testSchemaColumns } from './schema-columns.js'
import { testSchemaKeys } from './schema-keys.js'
import { testSchemaTables } from './schema-tables.js'
import { nothing, schemaTools } from './schema-tools.js'
import { testSchemaViews } from './schema-views.js'
import { useStore, type StoreFactory } from './store-under-test.js'

export function testSchema(factory: StoreFactory): void {
  describe('schema', () => {
    const used = useStore(factory)

    test('without migrations the plan is always empty, and sync does nothing', async ({ skip }) => {
      if (used.store.capabilities.migrations) return skip(`${used.store.capabilities.name} has migrations`)
      expect(await used.store.plan(model)).toStrictEqual(nothing)
      expect(await used.store.sync(model, { destructive: true })).toStrictEqual(nothing)
    })

    describe('migrations', () => {
      beforeEach(({ skip }) => {
        if (!used.store.capabilities.migrations) skip(`${used.store.capabilities.name} has no migrations`)
      })
      const tools = schemaTools(used)
      testSchemaTables(used, tools)
      testSchemaColumns(used, tools)
      testSchemaKeys(used, tools)
      testSchemaViews(used, tools)
    })
  })
}
