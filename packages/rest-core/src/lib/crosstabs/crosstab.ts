import type { AggregateFunction, DatePart } from '../store.js'
import type { ReadableField } from '../model/model.js'
import type { FieldValue } from '../fields/field-type.js'

/** A field of an axis, own or joined; dates by a part of them. */
export type CrosstabAxis = string | { readonly field: string; readonly by?: DatePart; readonly label?: string }

export interface CrosstabValue {
  readonly function: AggregateFunction | 'avg'
  /** A number field; for `min` and `max` also a date; none for `count`. */
  readonly field?: string
  /** Name in answers; default `<function>` or `<function>_<field>`. */
  readonly name?: string
  readonly label?: string
}

/** A pivot table of an object. Source: rest-service.md, "Pivot table"; wire-decisions, "pivot table". */
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
  /** `undefined` for `count`. */
  readonly field: ReadableField | undefined
}

/** One place on an axis: its values, one per field; shorter ones are subtotals. */
export type CrosstabPlace = readonly FieldValue[]

/** A computed pivot table. */
export interface Crosstab {
  readonly name: string
  readonly lines: readonly CrosstabAxisModel[]
  readonly columns: readonly CrosstabAxisModel[]
  readonly values: readonly CrosstabValueModel[]
  /** All places that have records, in order. */
  readonly linePlaces: readonly CrosstabPlace[]
  readonly columnPlaces: readonly CrosstabPlace[]
  /** One number per value; `undefined` where there are no records. Places may be shorter than their axis: subtotals; empty: totals. */
  cell(line: CrosstabPlace, column: CrosstabPlace): readonly FieldValue[] | undefined
}
