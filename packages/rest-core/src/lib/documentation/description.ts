/** A JSON Schema (2020-12); references point to `#/components/schemas/<name>`. */
export interface Schema {
  readonly [keyword: string]: unknown
}

/** All that a user may ask of a service, ready to be written as OpenAPI or as a page. Texts are Markdown. */
export interface ServiceDescription {
  readonly title: string
  readonly version: string
  readonly base: string
  readonly level: string
  /** Name of the header that may be sent in place of `Authorization`. */
  readonly authorizationHeader: string
  /** Names of the parameters that the level has. */
  readonly parameters: readonly string[]
  readonly objects: readonly ObjectDescription[]
  /** First those of no object, then object by object. */
  readonly operations: readonly OperationDescription[]
  /** By name: what `reference` points to. */
  readonly schemas: Readonly<Record<string, Schema>>
}

export interface ObjectDescription {
  readonly name: string
  /** Plain texts of the definition. */
  readonly label: string
  readonly help: string
  readonly fields: readonly FieldDescription[]
}

export interface FieldDescription {
  readonly name: string
  /** Plain texts of the definition. */
  readonly label: string
  readonly help: string
  /** Name of the type, e.g. `date`. */
  readonly type: string
  /** What holds of its values, e.g. `required`, `at most 20 characters`. */
  readonly rules: readonly string[]
}

export interface OperationDescription {
  /** e.g. `obj-movie-search`. */
  readonly id: string
  /** Name of the object; absent: of none. */
  readonly object: string | undefined
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base address, with `{names}`; with `?` for what a parameter asks for and has no address of its own. */
  readonly path: string
  readonly summary: string
  readonly text: string
  readonly parameters: readonly ParameterDescription[]
  readonly body: BodyDescription | undefined
  readonly answers: readonly AnswerDescription[]
}

export interface ParameterDescription {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly text: string
  readonly schema: Schema
  /** How an array is written: with commas (always in a path), or by repeating the parameter. */
  readonly list?: 'commas' | 'repeated'
  /** Name under which several operations share it. */
  readonly shared?: string
}

export interface BodyDescription {
  readonly required: boolean
  readonly text: string
  /** By media type. */
  readonly content: Content
}

export interface AnswerDescription {
  readonly status: number
  readonly text: string
  /** By media type; none: no body. */
  readonly content: Content
  readonly headers: readonly HeaderDescription[]
  /** Name under which several operations share it: the errors. */
  readonly shared?: string
}

export type Content = Readonly<Record<string, Schema>>

export interface HeaderDescription {
  readonly name: string
  readonly text: string
  /** It always comes. */
  readonly required: boolean
}

/** A schema of `ServiceDescription.schemas`. */
export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}
