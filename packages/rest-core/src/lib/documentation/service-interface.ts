/** What a request does. */
export type ServiceOperation =
  | 'info'
  | 'search'
  | 'get'
  | 'create'
  | 'update'
  | 'delete'
  | 'upsert'
  | 'batch'
  | 'indexSearch'
  | 'metadata'
  | 'documentation'
  | 'action'
  | 'publication'
  | 'crosstab'
  | 'download'
  | 'thumbnail'
  | 'upload'
  | 'task'
  | 'cancelTask'

/**
 * How a parameter is written.
 * - `flag`: `true` or `false` · `number`: from 0 on · `text`: anything
 * - `fields`: names of fields, with commas between them · `order`: the same, `-` before those that are turned round
 * - `documents`, `images`: `true`, or names of such fields
 * - `context`: a context of metadata · `output`: a form of the answer
 */
export type ParameterForm =
  | 'flag'
  | 'number'
  | 'text'
  | 'fields'
  | 'order'
  | 'documents'
  | 'images'
  | 'context'
  | 'output'

/** A request parameter that is not a filter. */
export interface RequestParameter {
  readonly name: string
  /** Operations that it may be given to. */
  readonly on: readonly ServiceOperation[]
  readonly form: ParameterForm
  /** What it does, for people: Markdown. */
  readonly text: string
}

/** An address and a method, and what they do. */
export interface Route {
  /** Below the base address, e.g. `/{object}/{row_id}`; with `?<parameter>={name}` where only a parameter names it. */
  readonly path: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly operation: ServiceOperation
  /** A parameter that the address stands for, e.g. `_count`. */
  readonly view?: string
}

/** How the service is reached: described by what serves it, so that documentation and router cannot disagree. */
export interface ServiceInterface {
  /** The application's title, for people. */
  readonly title: string
  readonly version: string
  /** Base address, e.g. `/catalog/api/rest`. */
  readonly base: string
  /** Compatibility level, e.g. `5.1`. */
  readonly level: string
  /** Name of the header that may be sent in place of `Authorization`. */
  readonly authorizationHeader: string
  /** The header by which this user may see what another one sees, and where it works; absent: there is none. */
  readonly viewAs?: { readonly header: string; readonly on: (operation: ServiceOperation) => boolean }
  /** Those that the level has. */
  readonly routes: readonly Route[]
  /** Those that the level has. */
  readonly parameters: readonly RequestParameter[]
}
