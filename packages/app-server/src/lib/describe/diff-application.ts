import { join } from 'node:path'
import { createModel } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import type { AppDefinition } from '../app-definition.js'
import type { ApplicationPlace } from '../check-application.js'
import { loadObjects } from '../load-objects.js'
import { loadFieldTypes } from '../plugins.js'
import { openDatabase } from '../open-database.js'
import { compareDefinitions } from './compare-definitions.js'
import { readDatabase } from './describe-database.js'

/**
 * What the database of an application has otherwise than its definitions, which is only read.
 *
 * @param schemas Default: that of the connection, and those that definitions name.
 * @throws DefinitionError, StoreError: each says what to do.
 */
export async function diffApplication(
  { folder, dataFolder, settings }: ApplicationPlace,
  definition: AppDefinition,
  schemas: readonly string[] | undefined,
): Promise<string[]> {
  const objects = await loadObjects(join(folder, 'objects'))
  const fieldTypes = await loadFieldTypes(folder, definition.fieldTypes ?? [])
  const store = await openDatabase({ folder, dataFolder, settings, definition, introspect: false, readOnly: true })
  try {
    const found = await readDatabase(store, { schemas })
    // A start adds the tables of the system, which no definition of an application describes.
    const own = new Set([...createModel(systemObjects).objects.values()].map(({ table }) => table))
    return compareDefinitions(createModel(objects, { fieldTypes }), createModel(found.objects), { ...found, own })
  } finally {
    await store.close()
  }
}
