import type { ObjectDefinition } from '../definition/definition.js'
import { createMemoryDocumentStore } from '../documents/memory-document-store.js'
import type { DocumentStore } from '../documents/document-store.js'
import { createMemoryStore } from '../memory/memory-store.js'
import type { CustomFieldType } from '../fields/custom-type.js'
import { createModel } from '../model/create-model.js'
import type { Model } from '../model/model.js'
import { createRights, type GrantData } from '../rights/create-rights.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectStore } from '../store.js'
import { systemObjects } from '../system/system-objects.js'
import type { BusinessObjects } from './business-objects.js'
import { createBusinessObjects, type BusinessObjectsOptions } from './create-business-objects.js'

export interface TestService {
  readonly service: BusinessObjects
  readonly model: Model
  readonly store: ObjectStore
  readonly documents: DocumentStore
  /** May do everything. */
  readonly system: Principal
  /** A user with these rights and no others, and in these groups. @throws DefinitionError as `createRights` */
  user(login: string, grants: readonly GrantData[], groups?: readonly string[]): Principal
}

/**
 * A service in memory for tests of an application's objects: with the system objects, and somewhere to keep documents.
 *
 * @example
 * const { service, user } = createTestService([Order])
 * const clerk = user('ann', [{ object: 'Order', letters: 'CR' }])
 * await expect(service.create(clerk, Order, {})).rejects.toThrow('required')
 */
export function createTestService(
  definitions: readonly ObjectDefinition[],
  options: Partial<Omit<BusinessObjectsOptions, 'model'>> & { readonly fieldTypes?: readonly CustomFieldType[] } = {},
): TestService {
  const { fieldTypes, store = createMemoryStore(), documents = createMemoryDocumentStore(), ...others } = options
  const own = new Set(definitions.map(({ name }) => name))
  const objects = [...systemObjects.filter(({ name }) => !own.has(name)), ...definitions]
  const model = createModel(objects, fieldTypes && { fieldTypes })
  const service = createBusinessObjects({ ...others, model, store, documents })
  return {
    service,
    model,
    store,
    documents,
    system: systemPrincipal(),
    user: (login, grants, groups = []) =>
      createPrincipal({ login, groups, rights: createRights(model, grants, { LOGIN: login, USERID: login }) }),
  }
}
