export { createClient } from './lib/client.js'
export type { Client, Records } from './lib/client.js'
export type { EventOptions } from './lib/events.js'
export { RestClientError } from './lib/errors.js'
export type { ErrorMessage } from './lib/errors.js'
export type { ObjectClient, Tagged } from './lib/object-client.js'
export { exactly } from './lib/query.js'
export type {
  ActionCall,
  ActionName,
  ActionOptions,
  AnswerOptions,
  AnyRecord,
  BatchItem,
  CallOptions,
  ChangeEvent,
  ClientOptions,
  Count,
  Credentials,
  CrosstabOptions,
  FieldName,
  Filters,
  FilterValue,
  IndexRecord,
  Input,
  NewDocument,
  ObjectTypes,
  Page,
  PageOptions,
  SearchOptions,
  Session,
  Task,
  TypesOf,
  WriteOptions,
} from './lib/types.js'
