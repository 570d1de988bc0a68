import type { FieldValue } from '../fields/field-value.js'
import type { ActionDefinition } from '../actions/action.js'
import type { CrosstabDefinition } from '../crosstabs/crosstab.js'
import type { PublicationDefinition } from '../publications/publication.js'
import type { ObjectHooks } from '../service/hooks.js'

/** What every field may say. */
export interface FieldCommon {
  /** For people; defaults to the field's name. */
  readonly label?: string
  readonly help?: string
  /** A value must be given on creation and cannot be emptied. Default false; members of the functional key are always required. */
  readonly required?: boolean
  /** Used on creation when the field is not given: the field's value, or `[DATE]`, `[DATETIME]`, `[LOGIN]`. */
  readonly default?: unknown
  /** Column in the table; default: the field's name. */
  readonly column?: string
  /** Part of the functional key. Default false. */
  readonly key?: boolean
  /** No two records may have the same value. Default false. */
  readonly unique?: boolean
  /** An index of the database speeds up filters on this field. Default: true for references, else false; keys always have one. */
  readonly index?: boolean
  /** Never taken from a request; hooks may set it. Default false. */
  readonly readOnly?: boolean
  /** Taken on creation only. Default false. */
  readonly createOnly?: boolean
  /** Not part of any answer. Default false. */
  readonly hidden?: boolean
  /** Name of the area that shows it (`areas` of the object); default: the first. */
  readonly area?: string
  /** Earlier name of this field, so that `sync` renames the column instead of adding one. */
  readonly renamedFrom?: string
}

interface TextOptions extends FieldCommon {
  /** Most characters (code points). Default 255; of `text` and `html` 1,048,576. */
  readonly length?: number
  /** The whole value must match this regular expression (JavaScript, flag `v`). */
  readonly pattern?: string
}

export interface EnumValue {
  readonly code: string
  readonly label?: string
  /** Default true; disabled values are kept where they are and refused in new input. */
  readonly enabled?: boolean
}

/** A list of values: bare codes, or codes with labels. */
export type EnumValues = readonly (string | EnumValue)[]

/**
 * The primary key of an existing table. The database assigns new ids; where it does not, `readOnly: false` takes the id
 * from the request that creates the record.
 */
export interface IdField extends FieldCommon {
  readonly type: 'id'
  /**
   * How the column identifies rows. Default `integer` (assigned by the database); `string` and `uuid` are for existing
   * tables. A text that is not a UUID identifies no row.
   */
  readonly values?: 'integer' | 'string' | 'uuid'
  /**
   * Own fields that identify a row together, in the order of the key: at least two, each with a column. They are required
   * and cannot be changed; the row id consists of their values, and has neither `column` nor `values`. They are the
   * functional key too, unless other fields are.
   */
  readonly fields?: readonly string[]
}
export interface ReferenceField extends FieldCommon {
  readonly type: 'reference'
  /** Name of the linked object. */
  readonly object: string
  /**
   * For a linked object whose row id consists of several fields: the own fields that hold their values, in the same order.
   * The reference has no column then; setting it sets them, and setting them sets it.
   */
  readonly via?: readonly string[]
  /**
   * Fields of the linked object that are returned next to the reference as `<fk>__<field>`; a chain through a reference
   * of the linked object is written `<fk2>__<field>`. Default: the functional key of the linked object.
   */
  readonly display?: readonly string[]
  /** What happens to this record when the linked one is deleted. Default `refuse`. */
  readonly onDelete?: 'refuse' | 'cascade' | 'setNull'
}
export interface TextField extends TextOptions {
  readonly type: 'string' | 'text' | 'url' | 'email' | 'phone' | 'color' | 'html' | 'regexp'
  /**
   * An empty text is a value: it satisfies `required`, and is stored as an empty text in place of NULL. Default false; for
   * existing columns that take no NULL.
   */
  readonly allowEmpty?: boolean
}
export interface PasswordField extends TextOptions {
  readonly type: 'password'
  /** Fewest characters (code points) of a new value that is not empty. Default 0. */
  readonly minLength?: number
}
export interface IntegerField extends FieldCommon {
  readonly type: 'integer'
  readonly min?: number
  readonly max?: number
  /**
   * Most digits, 1 to 18. Default 15; with more than 15, values beyond 2^53 travel as strings. 19: any integer of 64 bits with a
   * sign, 20: any without one.
   */
  readonly precision?: number
}
export interface DecimalField extends FieldCommon {
  readonly type: 'decimal'
  /** Digits in all, 1 to 38, of existing tables of MySQL to 65. Default 15; with more than 15, values that a double cannot hold travel as strings. */
  readonly precision?: number
  /** Digits after the point. Default 2. */
  readonly scale?: number
  readonly min?: number
  readonly max?: number
  /**
   * In place of `precision` and `scale`, how the column keeps numbers: as floating-point numbers of double or single
   * precision, which take what such a number holds exactly, or as decimal numbers of any number of digits.
   */
  readonly storage?: 'double' | 'single' | 'unlimited'
  /** With `storage`: takes `NaN`, `Infinity` and `-Infinity`, too, as strings. Default false. */
  readonly extended?: boolean
}
export interface BooleanField extends FieldCommon {
  readonly type: 'boolean'
}
export interface DateField extends FieldCommon {
  readonly type: 'date'
  /**
   * Takes what databases hold beyond the years 0001 to 9999: `12024-01-01`, `0044-03-15 BC`, `infinity`, `-infinity`, and
   * impossible days, such as `2024-00-00`. Default false.
   */
  readonly extended?: boolean
}
export interface TimeField extends FieldCommon {
  readonly type: 'time'
  /** Digits of a fraction of a second, 0 to 9. Default 0: fractions are dropped. */
  readonly precision?: number
  /** Takes times beyond a day: `24:00:00`, `838:59:59`, `-01:30:00`. Default false. */
  readonly extended?: boolean
}
export interface DatetimeField extends FieldCommon {
  readonly type: 'datetime'
  /** Digits of a fraction of a second, 0 to 9. Default 0: fractions are dropped. */
  readonly precision?: number
  /** Takes what databases hold beyond the years 0001 to 9999, as a date does. Default false. */
  readonly extended?: boolean
  /**
   * `UTC` (default): a moment; input with an offset is turned into UTC. `none`: what a clock on a wall shows, kept as it is
   * given; input with an offset is refused.
   */
  readonly zone?: 'UTC' | 'none'
}
export interface EnumField extends FieldCommon {
  readonly type: 'enum'
  readonly values: EnumValues
}
export interface MultiEnumField extends FieldCommon {
  readonly type: 'multi-enum'
  readonly values: EnumValues
}
export interface DocumentField extends FieldCommon {
  readonly type: 'document'
  /** Most bytes of the content. Default 100 MiB, in a column 16 MiB. */
  readonly maxBytes?: number
  /** Where the content is: in the document store, or in the column of the table itself. Default `documents`. */
  readonly storage?: 'documents' | 'column'
}
export interface ImageField extends FieldCommon {
  readonly type: 'image'
  /** Most bytes of the content. Default 20 MiB. */
  readonly maxBytes?: number
  /** Longest side of the thumbnail in pixels. Default 200. */
  readonly thumbnailPixels?: number
  /** Kinds of pictures that it takes, recognised by their content. Default: all of these. */
  readonly mediaTypes?: readonly (
    | 'image/png'
    | 'image/jpeg'
    | 'image/gif'
    | 'image/webp'
    | 'image/avif'
    | 'image/bmp'
    | 'image/tiff'
    | 'image/svg+xml'
  )[]
}
export interface GeocoordsField extends FieldCommon {
  readonly type: 'geocoords'
}
export interface JsonField extends FieldCommon {
  readonly type: 'object'
  /** Most characters of the value as JSON. Default 1,048,576. */
  readonly length?: number
  /** The column of an existing table is an array of PostgreSQL; the value is a list. Default false: it holds JSON. */
  readonly array?: boolean
}

/** A field of a type that the application registers, see `CustomFieldType`. */
export interface CustomField extends FieldCommon {
  readonly type: CustomTypeName
  /** As a field of the built-in type says it, whose values this one holds. */
  readonly length?: number
  readonly pattern?: string
  readonly min?: number
  readonly max?: number
  readonly precision?: number
  readonly scale?: number
  /** What the type itself asks for. */
  readonly options?: Readonly<Record<string, unknown>>
}

export type CustomTypeName = `x-${string}`

export type BuiltInField =
  | IdField
  | ReferenceField
  | TextField
  | PasswordField
  | IntegerField
  | DecimalField
  | BooleanField
  | DateField
  | TimeField
  | DatetimeField
  | EnumField
  | MultiEnumField
  | DocumentField
  | ImageField
  | GeocoordsField
  | JsonField

export type FieldDefinition = BuiltInField | CustomField

export type FieldTypeName = BuiltInField['type']

/** States of one enum field, and who may move a record from which to which. */
export interface StateModel {
  /** Name of an enum field of the object. */
  readonly field: string
  /** State of a new record; default: the field's `default`, else the first value. */
  readonly initial?: string
  readonly transitions: readonly {
    readonly from: string | readonly string[]
    readonly to: string
    /** Groups that may do it; default: everybody who may update. */
    readonly groups?: readonly string[]
  }[]
}

/** The query of a view by the database that it is written for; `mysql` stands for MariaDB, too. */
export type ViewQueries = {
  readonly [D in 'sqlite' | 'postgresql' | 'mysql' | 'oracle' | 'mssql']?: string
}

/** A business object as data. */
export interface ObjectDefinition {
  /** Name in addresses, e.g. `SystemParam`: letters, digits and `_`, starting with a letter. */
  readonly name: string
  readonly label?: string
  readonly pluralLabel?: string
  readonly help?: string
  /** Table; default: the name in snake case. */
  readonly table?: string
  /** Earlier table, so that `sync` renames it instead of making a new one. */
  readonly renamedFrom?: string
  /**
   * A query in SQL, one text or one per database: `sync` makes a view of it under the name in `table`. Its columns are those
   * of the fields, `row_id` identifies a row. Such an object is read-only and, unless it says otherwise, without timestamps.
   */
  readonly view?: string | ViewQueries
  /** Fields in the order in which they are answered. A field `row_id` of type `id` may be given to map an existing table. */
  readonly fields: Readonly<Record<string, FieldDefinition>>
  /** Sort of searches that name none, e.g. `['-mov_year', 'mov_title']`; the row id always comes last. */
  readonly order?: readonly string[]
  /** Records per page. Default 50. */
  readonly pageSize?: number
  /** The table has created_dt, created_by, updated_dt, updated_by. Default true, of a `view` false; false for existing tables without them. */
  readonly timestamps?: boolean
  /** Records cannot be created, updated or deleted. Default false; of a `view` always true. */
  readonly readOnly?: boolean
  readonly states?: StateModel
  /** Name of an icon, for pages that show the object. */
  readonly icon?: string
  /** Groups of fields on a page: labels by name, in order. Default: one area of all fields. */
  readonly areas?: Readonly<Record<string, string>>
  /**
   * Records can be found by words: those of these own fields, or with `true` of all visible text and enum fields.
   * Source: docs/spec/rest-service.md, "Index search".
   */
  readonly indexable?: boolean | readonly string[]
  /**
   * `public`: a user who may read a record that refers to one of this object also reads what the reference's `display` shows
   * of it, and it can be referred to by everybody, whatever rights they have here. Fields that grants hide stay hidden.
   * Default: references show, and can be set to, what the user may read.
   */
  readonly display?: 'public'
  /** Who changed what is kept in the object `AuditEntry`. Default false. */
  readonly audit?: boolean
  /** Changes are reported to listeners of `/api/events` and to webhooks. Default false. */
  readonly events?: boolean
  /** By name. Actions are code: they need a module, which may lie beside a YAML file ({@link defineCode}). */
  readonly actions?: Readonly<Record<string, ActionDefinition>>
  readonly publications?: Readonly<Record<string, PublicationDefinition>>
  readonly crosstabs?: Readonly<Record<string, CrosstabDefinition>>
  readonly hooks?: ObjectHooks
}

/** What a field of this definition holds in answers. */
export type ValueOf<F extends FieldDefinition> = F extends { type: 'integer' | 'decimal' }
  ? number | string | null
  : F extends { type: 'boolean' }
    ? boolean
    : F extends { type: 'multi-enum'; values: infer V extends EnumValues }
      ? CodeOf<V[number]>[]
      : F extends { type: 'object' | CustomTypeName }
        ? unknown
        : F extends { type: 'enum'; values: infer V extends EnumValues }
          ? CodeOf<V[number]> | ''
          : string

type CodeOf<V> = V extends string ? V : V extends { code: infer C extends string } ? C : string

/** Names of the joined fields that come with references. */
export type ReferenceDisplays<Fields> = {
  [K in keyof Fields & string]: Fields[K] extends { type: 'reference'; display: infer D extends readonly string[] }
    ? `${K}__${D[number]}`
    : never
}[keyof Fields & string]

type Joined<Fields, Others> = { [K in ReferenceDisplays<Fields>]: JoinedValue<Fields, K, Others> }

/** The value of a joined field; a value of any type where the linked object is not among the others. */
type JoinedValue<Fields, Path extends string, Others> = Path extends `${infer Reference}__${infer Rest}`
  ? Reference extends keyof Fields
    ? Fields[Reference] extends { readonly object: infer Name }
      ? Linked<Extract<Others, { readonly name: Name }>, Rest, Others>
      : FieldValue
    : FieldValue
  : FieldValue

type Linked<D, Rest extends string, Others> = [D] extends [ObjectDefinition]
  ? [D] extends [never]
    ? FieldValue
    : Rest extends keyof D['fields']
      ? D['fields'][Rest] extends FieldDefinition
        ? ValueOf<D['fields'][Rest]>
        : FieldValue
      : Rest extends Exclude<TechnicalName, 'row_id'>
        ? string
        : JoinedValue<D['fields'], Rest, Others>
  : FieldValue

type Answered<Fields> = {
  [
    K in keyof Fields & string as Fields[K] extends { type: 'password' } | { hidden: true } ? never : K
  ]: Fields[K] extends FieldDefinition ? ValueOf<Fields[K]> : never
}

/**
 * The record type that follows from a definition's fields.
 *
 * @typeParam Others definitions of linked objects, which give joined fields their types; a union, or `never`
 */
export type RecordOf<D extends ObjectDefinition, Others extends ObjectDefinition = never> = Simplify<
  { row_id: string } & Answered<D['fields']> & Joined<D['fields'], Others>
>

/** The members one by one, so that editors show them instead of how they come about. */
type Simplify<T> = { [K in keyof T]: T[K] } & {}

/** A content to be stored in a document or image field. */
export interface UploadInput {
  name: string
  mime?: string
  /** Base64. */
  content: string
}

type InputValue<F> = F extends { type: 'document' | 'image' }
  ? string | null | UploadInput
  : F extends { type: 'boolean' }
    ? boolean
    : F extends FieldDefinition
      ? ValueOf<F> | null
      : never

type TakenKeys<Fields> = {
  [K in keyof Fields & string]: Fields[K] extends { readOnly: true }
    ? never
    : Fields[K] extends { type: 'id'; readOnly?: true }
      ? never
      : K
}[keyof Fields & string]

/** Fields that form the row id. */
type RowKeys<D extends ObjectDefinition> = D['fields'] extends {
  row_id: { fields: infer K extends readonly string[] }
}
  ? K[number]
  : never

type NeededKeys<D extends ObjectDefinition> = {
  [K in TakenKeys<D['fields']>]: [K, D['fields'][K]] extends
    | [RowKeys<D>, unknown]
    | [unknown, { required: true } | { key: true }]
    ? D['fields'][K] extends { default: unknown } | { type: 'boolean' }
      ? never
      : D extends { states: { field: K } }
        ? never
        : K
    : never
}[TakenKeys<D['fields']>]

/** What a creation takes, as it follows from a definition: its required fields must be there, others may. */
export type InputOf<D extends ObjectDefinition> = Simplify<
  { [K in NeededKeys<D>]: InputValue<D['fields'][K]> } & {
    [K in Exclude<TakenKeys<D['fields']>, NeededKeys<D>>]?: InputValue<D['fields'][K]>
  }
>

type ReferenceNames<Fields> = {
  [K in keyof Fields & string]: Fields[K] extends { readonly type: 'reference' } ? K : never
}[keyof Fields & string]

type TechnicalName = 'row_id' | 'created_dt' | 'created_by' | 'updated_dt' | 'updated_by'

/** Fields that can be asked for, sorted and filtered by: own ones, what the service keeps, and what is joined. */
export type SortName<D extends ObjectDefinition> =
  | (keyof D['fields'] & string)
  | `${ReferenceNames<D['fields']>}__${string}`
  | TechnicalName

/** Filters of a search by name of their field; a field of a linked object is
 * `<reference>__<field>`; bounds are `dmin__<field>` and so on. */
export type FiltersOf<D extends ObjectDefinition> = {
  readonly [K in SortName<D> | `${'dmin' | 'dmax' | 'nmin' | 'nmax'}__${SortName<D>}`]?: string | readonly string[]
}

/** What an update takes: any of its fields. */
export type UpdateOf<D extends ObjectDefinition> = Simplify<{
  [K in Exclude<TakenKeys<D['fields']>, 'row_id'>]?: InputValue<D['fields'][K]>
}>

/**
 * Record types by object name, inferred from definitions, e.g. for a typed client.
 *
 * @example
 * const client = createClient<RecordsOf<[typeof Movie, typeof Genre]>>({ url })
 */
export type RecordsOf<D extends readonly ObjectDefinition[]> = {
  [O in D[number] as O['name']]: RecordOf<O, D[number]> & { readonly '~types'?: TypesOf<O, D[number]> }
}

/** What a typed client knows of an object besides its records; no record has it. */
interface TypesOf<O extends ObjectDefinition, Others extends ObjectDefinition> {
  readonly record: RecordOf<O, Others>
  readonly create: InputOf<O>
  readonly update: UpdateOf<O>
  /** Parameters by name of the action. */
  readonly actions: O extends { actions: infer A } ? { [K in keyof A]: ParametersOf<A[K]> } : unknown
  readonly crosstabs: NamesIn<O, 'crosstabs'>
  readonly publications: NamesIn<O, 'publications'>
}

/** Names in a part of a definition that has names, e.g. `actions`. */
export type NamesIn<O, Member extends string> = O extends { [K in Member]: infer Named } ? keyof Named & string : never

/** What an action with these parameters is given; unknown when it declares none. */
export type ParametersOf<A> = A extends { parameters: infer P } ? Parameters<P> : unknown

type Parameters<P> = Simplify<
  { [K in NeededParameters<P>]: InputValue<P[K]> } & { [K in Exclude<keyof P, NeededParameters<P>>]?: InputValue<P[K]> }
>

type NeededParameters<P> = {
  [K in keyof P]: P[K] extends { required: true }
    ? P[K] extends { default: unknown } | { type: 'boolean' }
      ? never
      : K
    : never
}[keyof P]

/** What a module beside a YAML or JSON file of the same name may add to its object. */
export type ObjectCode = Pick<ObjectDefinition, (typeof objectCodeKeys)[number]>

/** Members of a definition that a module beside a YAML or JSON file may add. */
export const objectCodeKeys = ['actions', 'hooks', 'states', 'publications', 'crosstabs'] as const

/**
 * Gives the code beside a YAML or JSON file its type: `objects/ticket.ts` has that of `objects/ticket.yaml`.
 *
 * @example
 * export default defineCode({
 *   hooks: {
 *     preDelete({ record }) {
 *       if (record['tic_state'] !== 'closed') throw new RestError('ERR_VALIDATION', 'The ticket is open.')
 *     },
 *   },
 * })
 */
export function defineCode(code: ObjectCode): ObjectCode {
  return code
}
