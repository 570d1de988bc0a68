import type { AggregateFunction, DatePart } from '../aggregate.js'
import type { ReadableField } from '../model/model.js'
import type { FieldValue } from '../fields/field-value.js'

/** A field of an axis, own or joined; dates by a part of them. */
export type CrosstabAxis = string | { readonly field: string; readonly by?: DatePart; readonly label?: string }

export interface CrosstabValue {
  readonly function: AggregateFunction | 'avg'
  /**
   * A number field; for `min` and `max` also a date, datetime or time. `count` counts records without one, and with one, of
   * any type, those in which it is filled.
   */
  readonly field?: string
  /** Name in answers: letters, digits and `_`; default `<function>` or `<function>_<field>`. */
  readonly name?: string
  readonly label?: string
}

/**
 * A pivot table of an object. Source: docs/spec/rest-service.md, "Pivot table"; docs/spec/wire-decisions.md, "pivot
 * table".
 */
export interface CrosstabDefinition {
  /** For people; default: the name. */
  readonly label?: string
  readonly help?: string
  readonly lines: readonly CrosstabAxis[]
  /** Default none. */
  readonly columns?: readonly CrosstabAxis[]
  /** Default: the number of records. */
  readonly values?: readonly CrosstabValue[]
  /** Groups whose users may use it; default: everybody who may read the object and whose grants do not leave it out. */
  readonly groups?: readonly string[]
}

/** A pivot table with everything that can be answered from its definition alone. */
export interface CrosstabModel {
  readonly name: string
  readonly label: string
  readonly lines: readonly CrosstabAxisModel[]
  readonly columns: readonly CrosstabAxisModel[]
  readonly values: readonly CrosstabValueModel[]
  readonly definition: CrosstabDefinition
}

export interface CrosstabAxisModel {
  /** Name in answers: the field, or `<field>_<by>`. */
  readonly name: string
  readonly label: string
  readonly field: ReadableField
  readonly by: DatePart | undefined
}

export interface CrosstabValueModel {
  readonly name: string
  readonly label: string
  readonly function: CrosstabValue['function']
  /** `undefined`: records are counted. */
  readonly field: ReadableField | undefined
}

/** Where a line or a column stands: its values, one per field of its axis; a shorter place is a subtotal, `[]` the total. */
export type CrosstabPlace = readonly FieldValue[]

/** A computed pivot table. */
export interface Crosstab {
  readonly model: CrosstabModel
  /** Lines without subtotals, those of all pages. */
  readonly lineCount: number
  /**
   * All places that have records, or those of the page, ascending unless another order was asked for (empty values first,
   * texts by code point, enums in the order of their list); after the places that start alike comes their subtotal, at the
   * end the total.
   */
  readonly linePlaces: readonly CrosstabPlace[]
  /** The same; without column fields `[]` is the only one. */
  readonly columnPlaces: readonly CrosstabPlace[]
  /** Those of them that have records in this line. */
  columnsOf(line: CrosstabPlace): readonly CrosstabPlace[]
  /**
   * What the records at these places come to, in the order of the values: numbers, strings for what a double cannot hold
   * and for dates, `null` where nothing could be computed. `undefined` where there are no records.
   */
  cell(line: CrosstabPlace, column: CrosstabPlace): readonly FieldValue[] | undefined
}
