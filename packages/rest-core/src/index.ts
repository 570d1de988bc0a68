export { DefinitionError, RestError, StoreError } from './errors.js'
export type { ErrorCode, ErrorMessage } from './errors.js'
export { defineObject } from './lib/definition/define-object.js'
export type { FiltersOf } from './lib/definition/definition.js'
export { defineCode, objectCodeKeys } from './lib/definition/definition.js'
export type {
  CustomField,
  CustomTypeName,
  EnumValue,
  EnumValues,
  FieldDefinition,
  FieldTypeName,
  InputOf,
  ObjectCode,
  ObjectDefinition,
  RecordOf,
  RecordsOf,
  StateModel,
  UpdateOf,
  UploadInput,
  ViewQueries,
} from './lib/definition/definition.js'
export { loadCheckedFile, parseCheckedFile } from './lib/definition/checked-file.js'
export { loadObjectFile, loadObjectFiles, parseObjectFile } from './lib/definition/load-file.js'
export { filterKeywords } from './lib/model/check-definitions.js'
export { createModel } from './lib/model/create-model.js'
export { isJoined, tableObjects } from './lib/model/model.js'
export type {
  BusinessRecord,
  FieldModel,
  IndexModel,
  JoinedField,
  Model,
  ObjectModel,
  Order,
  ReadableField,
  ReferenceModel,
  Selection,
} from './lib/model/model.js'
export { customBases } from './lib/fields/custom-type.js'
export type { CustomBase, CustomFieldContext, CustomFieldType } from './lib/fields/custom-type.js'
export { isExact, jsonText, readJsonText } from './lib/fields/json-text.js'
export { bytesDigits, bytesValue, isInColumn, isShownBytes, readBytes } from './lib/documents/column-content.js'
export { isEmpty, isUnfilled, Problem } from './lib/fields/field-type.js'
export type { ColumnType, FieldType } from './lib/fields/field-type.js'
export type { FieldValue, JsonValue } from './lib/fields/field-value.js'
export { keySeparator, keyTextOf, readRowId, rowIdOf, withoutKey } from './lib/fields/row-key.js'
export { decimalValue, digitsText, integerValue, readDigits, type Digits } from './lib/fields/number-text.js'
export { floatValue } from './lib/fields/float-number.js'
export type { Comparison, Filter } from './lib/filter/filter.js'
export type { ActionContext, ActionDefinition, ActionModel, ParameterDefinition, Scope } from './lib/actions/action.js'
export type {
  PublicationDefinition,
  PublicationFormat,
  PublicationModel,
  PublishedDocument,
} from './lib/publications/publication.js'
export { missingPublicationPackages } from './lib/publications/missing-packages.js'
export { crosstabCubes, crosstabTable, type CrosstabTable } from './lib/crosstabs/crosstab-forms.js'
export type {
  Crosstab,
  CrosstabAxis,
  CrosstabAxisModel,
  CrosstabDefinition,
  CrosstabModel,
  CrosstabPlace,
  CrosstabValue,
  CrosstabValueModel,
} from './lib/crosstabs/crosstab.js'
export type {
  AggregateQuery,
  AggregateRow,
  CountOptions,
  UpdateRowOptions,
  Guard,
  IndexHit,
  IndexQuery,
  IndexTerm,
  InsertRows,
  IntrospectOptions,
  Introspection,
  LentConnection,
  ObjectStore,
  PlanOptions,
  Query,
  ReadOptions,
  SnapshotSession,
  SqlStatement,
  StoreCapabilities,
  StoreSession,
  SyncLoss,
  SyncPlan,
  SyncStep,
  Values,
} from './lib/store.js'
export type { StoreKnex, StoreTransaction, StoreTypes } from './lib/store-types.js'
export type { AggregateFunction, DatePart } from './lib/aggregate.js'
export { dumpRecords, loadRecords, readLines } from './lib/portable/index.js'
export type { DumpedApplication, DumpRecordsOptions, LoadRecordsOptions, WriteText } from './lib/portable/index.js'
export { createMemoryStore } from './lib/memory/memory-store.js'
export { createBusinessObjects } from './lib/service/create-business-objects.js'
export type { BusinessObjectsOptions } from './lib/service/create-business-objects.js'
export type { TaskOptions } from './lib/service/tasks.js'
export type { Change } from './lib/service/service-context.js'
export type {
  ActionRequest,
  ActionResult,
  AnswerOptions,
  BatchItem,
  BatchOptions,
  BatchResult,
  BusinessObjects,
  JoinedTransaction,
  CountResult,
  DocumentContent,
  FilterTexts,
  GetOptions,
  IndexRecord,
  IndexSearchRequest,
  KeptAnswer,
  MetadataRequest,
  NeededRight,
  ObjectName,
  OnceRequest,
  PublicationRequest,
  RebuildOptions,
  RebuildProgress,
  RecordFor,
  RepeatOptions,
  TransactionOptions,
  SearchRequest,
  Task,
  ContentId,
  UpdateOptions,
  UploadedDocument,
  UpsertOptions,
  WriteOptions,
} from './lib/service/business-objects.js'
export { pageSizeOverAll } from './lib/service/index-searches.js'
export type {
  ActionGuardContext,
  DeleteContext,
  HookContext,
  ObjectHooks,
  RecordContext,
  SearchContext,
  WriteContext,
} from './lib/service/hooks.js'
export { allRights, createRights } from './lib/rights/create-rights.js'
export type { GrantData } from './lib/rights/create-rights.js'
export { createPrincipal, systemPrincipal } from './lib/rights/principal.js'
export { readingOnly } from './lib/rights/reading-only.js'
export type { NamedKind, ObjectRights, Principal, RightLetter, Rights } from './lib/rights/rights.js'
export { describeService, describeServiceParts, describeServiceSteps } from './lib/documentation/describe-service.js'
export type { DescribeOptions } from './lib/documentation/describe-service.js'
export type {
  AnswerDescription,
  BodyDescription,
  Content,
  FieldDescription,
  HeaderDescription,
  ObjectDescription,
  OperationDescription,
  ParameterDescription,
  Schema,
  ServiceDescription,
} from './lib/documentation/description.js'
export { htmlSteps, pageStyle, toHtml } from './lib/documentation/html.js'
export { markdownSteps, toMarkdown } from './lib/documentation/markdown.js'
export { toOpenApi } from './lib/documentation/openapi.js'
export { toSwagger } from './lib/documentation/swagger.js'
export type {
  ParameterForm,
  RequestParameter,
  Route,
  ServiceInterface,
  ServiceOperation,
} from './lib/documentation/service-interface.js'
export { metadataContexts, readMetadataContext } from './lib/metadata/context.js'
export type { MetadataContext } from './lib/metadata/context.js'
export { objectMetadata } from './lib/metadata/object-metadata.js'
export type {
  ActionMetadata,
  AreaMetadata,
  AxisMetadata,
  CrosstabMetadata,
  FieldMetadata,
  LinkMetadata,
  ListValueMetadata,
  ObjectMetadata,
  PublicationMetadata,
  StatesMetadata,
} from './lib/metadata/metadata.js'
export type {
  ByteRange,
  DocumentInfo,
  DocumentStore,
  DocumentStoreContext,
  DocumentStorePlugin,
  ListedDocument,
  PutDocument,
} from './lib/documents/document-store.js'
export { cleanDocuments } from './lib/documents/clean-documents.js'
export type { CleanDocumentsOptions } from './lib/documents/clean-documents.js'
export { documentName, mediaTypeOf } from './lib/documents/document-name.js'
export { makeThumbnail } from './lib/documents/thumbnail.js'
export { createBucketDocumentStore } from './lib/documents/bucket-document-store.js'
export type { BucketSource, DocumentBucket } from './lib/documents/bucket-document-store.js'
export { createMemoryDocumentStore } from './lib/documents/memory-document-store.js'
export { createTestService, type TestService } from './lib/service/create-test-service.js'
export { createDiskDocumentStore } from './lib/documents/disk-document-store.js'
export type { DiskDocumentStoreOptions } from './lib/documents/disk-document-store.js'
export { hashPassword, verifyPasswordHash } from './lib/security/password.js'
export { retryDuplicate } from './lib/service/retry.js'
export { LazyTransaction } from './lib/service/transaction.js'
export { escapeHtml } from './lib/text/escape-html.js'
export { createPauses } from './lib/pauses.js'
export type { Caller } from './lib/caller.js'
export { checkNeed } from './lib/service/check-need.js'
export { unknownObject } from './lib/rights/access.js'
export { ByteBudget, ByteUse, processBudget } from './lib/byte-budget.js'
export type { ByteBudgetOptions, ByteUseOptions } from './lib/byte-budget.js'
export { defaultLongLength } from './lib/fields/text-value.js'
export { batchBytes, memoryLimits, rowsOfBatch, sizeOf, type MemoryLimits } from './lib/memory-limits.js'
export { Shares } from './lib/shares.js'
export { atOnce, inTurns } from './lib/steps.js'
export type { Steps } from './lib/steps.js'
export type { Refusal, Release, ShareRequest, SharesOptions } from './lib/shares.js'
export { Turns } from './lib/turns.js'
