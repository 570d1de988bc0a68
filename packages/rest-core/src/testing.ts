/** The contracts of this package as tests for vitest. */
export { testObjectStore, type ObjectStoreTestOptions } from './lib/testing/test-object-store.js'
export { testDocumentStore, type DocumentStoreUnderTest } from './lib/testing/test-document-store.js'
export { testFieldType, type FieldTypeExamples } from './lib/testing/test-field-type.js'
export type { StoreFactory, StoreUnderTest } from './lib/testing/store-under-test.js'
