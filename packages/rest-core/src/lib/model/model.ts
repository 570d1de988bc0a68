import type { ActionModel } from '../actions/action.js'
import type { CrosstabModel } from '../crosstabs/crosstab.js'
import type { BuiltInField, ObjectDefinition } from '../definition/definition.js'
import type { ColumnType, FieldType } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import type { PublicationModel } from '../publications/publication.js'

/** All objects of an application, checked and linked. Made by `createModel`; frozen. */
export interface Model {
  /** By name, in the order of definition. */
  readonly objects: ReadonlyMap<string, ObjectModel>
  /** @throws RestError ERR_NOT_FOUND */
  object(name: string): ObjectModel
}

/** One object with everything that can be answered from its definition alone. */
export interface ObjectModel {
  readonly name: string
  readonly label: string
  readonly pluralLabel: string
  readonly table: string
  readonly definition: ObjectDefinition
  /** The definition says what the row id is, or it is a view: its rows are those of tables that others made and may write to. */
  readonly isMapped: boolean
  /** The row id, always named `row_id`. */
  readonly id: FieldModel
  /** Own fields in order of definition, without the row id and the technical ones. */
  readonly fields: readonly FieldModel[]
  /** created_dt, created_by, updated_dt, updated_by; empty when the table has none. */
  readonly technical: readonly FieldModel[]
  /** Display fields that come with references: `<fk>__<field>` and chains. */
  readonly joined: readonly JoinedField[]
  /** What is there without asking for more of linked objects, by name: row id, own, technical, joined. */
  readonly readable: ReadonlyMap<string, ReadableField>
  /** Members of the functional key, by default the fields of a row id that has several; may be empty for existing tables. */
  readonly key: readonly FieldModel[]
  readonly references: readonly ReferenceModel[]
  /** The row id, or a reference, consists of several fields. */
  readonly hasMadeFields: boolean
  /** Own document and image fields. */
  readonly documents: readonly FieldModel[]
  /** The field that holds the state, when the object has a state model. */
  readonly state: FieldModel | undefined
  /** By name. */
  readonly actions: ReadonlyMap<string, ActionModel>
  readonly publications: ReadonlyMap<string, PublicationModel>
  readonly crosstabs: ReadonlyMap<string, CrosstabModel>
  /** What makes records findable by words, when the object is indexable. */
  readonly index: IndexModel | undefined
  /** References of other objects (and of this one) that point here. */
  readonly referencedBy: readonly { readonly object: ObjectModel; readonly field: ReferenceModel }[]
  /** Sort of searches that name none; ends with the row id. */
  readonly order: readonly Order[]
  readonly pageSize: number
  readonly readOnly: boolean
  /** What an answer holds by default: row id, visible own fields, each reference followed by its joined fields. */
  readonly selection: Selection
  /**
   * A field that may be read, sorted or filtered by its name: one of `readable`, or any visible field of a linked object
   * by its path, `<fk>__<field>` to `<fk1>__…__<fk5>__<field>`.
   */
  field(name: string): ReadableField | undefined
  /** A selection of these names, each one of a `field`; row id is always first. Cached. @throws RestError ERR_BAD_REQUEST for an unknown name. */
  select(names: readonly string[]): Selection
}

/** Objects with a table, not those that a view of other tables shows. */
export function tableObjects(model: Model): readonly ObjectModel[] {
  return [...model.objects.values()].filter(({ definition }) => definition.view === undefined)
}

export interface FieldModel {
  readonly name: string
  readonly label: string
  readonly column: string
  readonly object: ObjectModel
  readonly type: FieldType
  readonly columnType: ColumnType
  /** A field of a type of the application is shown as one of the built-in type. */
  readonly definition: BuiltInField
  readonly required: boolean
  /** An empty text is a value that satisfies `required`. */
  readonly allowsEmpty: boolean
  readonly key: boolean
  readonly unique: boolean
  readonly indexed: boolean
  readonly readOnly: boolean
  readonly createOnly: boolean
  /** Part of answers; passwords never are. */
  readonly visible: boolean
  /** Whole-value pattern, when the definition has one. */
  readonly pattern: RegExp | undefined
  /** Enum codes → whether new input may use them; only for enum and multi-enum. */
  readonly codes: ReadonlyMap<string, boolean> | undefined
  /**
   * Own fields that form the value, where it has no column of its own: a row id of several fields, and a reference
   * to such a one. What is written is written to them.
   */
  readonly parts: readonly FieldModel[] | undefined
  /** The content of a document field that is in the column itself: never answered, read for one row only. */
  readonly content?: FieldModel | undefined
  /** Always empty for an own field; see `JoinedField`. */
  readonly path: readonly ReferenceModel[]
}

/**
 * The index of an object: one more column, which holds the words of a record. Source: docs/spec/rest-service.md, "Index
 * search".
 */
export interface IndexModel {
  /** Own fields whose words are found. */
  readonly fields: readonly FieldModel[]
  /** The column of the words: never answered, kept in step by the service, normalised by `indexWords`. */
  readonly words: FieldModel
}

export interface ReferenceModel extends FieldModel {
  readonly target: ObjectModel
  readonly onDelete: 'refuse' | 'cascade' | 'setNull'
}

/** A field of a linked object as seen from here. */
export interface JoinedField {
  /** `<fk>__<field>` or `<fk1>__<fk2>__<field>`. */
  readonly name: string
  /** References to follow, from this object on; at least one. */
  readonly path: readonly ReferenceModel[]
  /** The field of the last linked object. */
  readonly field: FieldModel
  readonly type: FieldType
  readonly columnType: ColumnType
}

export type ReadableField = FieldModel | JoinedField

/** Whether a field is read through a reference, and so belongs to a linked record. */
export function isJoined(field: ReadableField): field is JoinedField {
  return field.path.length > 0
}

/** The own field of a readable one: itself, or the field of the linked object. */
export function baseField(field: ReadableField): FieldModel {
  return isJoined(field) ? field.field : field
}

/** Which fields an answer holds. One instance per distinct list and object, so it can key caches. */
export interface Selection {
  readonly object: ObjectModel
  /** Distinct per object. */
  readonly key: string
  /** In answer order; the row id first. */
  readonly fields: readonly ReadableField[]
}

export interface Order {
  readonly field: string
  readonly descending: boolean
}

/** A record as it is answered: values by field name, in the order of the selection. */
export type BusinessRecord = { row_id: string } & { [field: string]: FieldValue }
