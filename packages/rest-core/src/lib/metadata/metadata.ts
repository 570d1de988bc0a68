import type { Scope } from '../actions/action.js'
import type { CrosstabValueModel } from '../crosstabs/crosstab.js'
import type { FieldValue } from '../fields/field-value.js'
import type { ReferenceModel } from '../model/model.js'
import type { PublicationFormat } from '../publications/publication.js'

/** The structure of an object, as one user may see it. Source: docs/spec/wire-decisions.md, "metadata". */
export interface ObjectMetadata {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly plurallabel: string
  readonly help: string
  /** Name of an icon; empty: none. */
  readonly icon: string
  readonly rowidfield: string
  /** Always empty. Not specified; kept because clients of such services look for it. */
  readonly template: string
  /** What this user may do. */
  readonly create: boolean
  readonly update: boolean
  readonly del: boolean
  readonly copy: boolean
  readonly export: boolean
  /** There is a publication that the user may use. */
  readonly print: boolean
  readonly updateAll: boolean
  /** Records are read-only. */
  readonly readonly: boolean
  /** Records can be found by words. */
  readonly indexable: boolean
  readonly areas: readonly AreaMetadata[]
  /** `null`: the object has no states, or the user does not see them. */
  readonly states: StatesMetadata | null
  readonly fields: readonly FieldMetadata[]
  readonly links: readonly LinkMetadata[]
  readonly actions: readonly ActionMetadata[]
  readonly crosstabs: readonly CrosstabMetadata[]
  readonly publications: readonly PublicationMetadata[]
}

/** The state model, as far as the user may use it. */
export interface StatesMetadata {
  /** The enum field that holds the state. */
  readonly field: string
  /** State of a new record. */
  readonly initial: string
  /** For one record: the state that it is in. */
  readonly state: string | null
  /** Those that the user may use; of one record those from its state. */
  readonly transitions: readonly { readonly from: readonly string[]; readonly to: string }[]
}

/** A group of fields on a page. */
export interface AreaMetadata {
  readonly id: string
  readonly name: string
  readonly label: string
  /** From 1 on. */
  readonly order: number
}

export interface FieldMetadata {
  /** `<Object>.<field>`. */
  readonly id: string
  /** Name in records. */
  readonly name: string
  /** The same. */
  readonly input: string
  /** The name with a point where a reference is followed: `mov_genre_id.gen_name`. */
  readonly fullinput: string
  /** Place among the fields, from 1 on. */
  readonly order: number
  readonly label: string
  readonly help: string
  /** Type number. */
  readonly type: number
  /** Most characters or digits; 0: no limit. */
  readonly length: number
  /** Digits after the point. */
  readonly precision: number
  /** No two records may have the same value. */
  readonly unique: boolean
  /** Least and greatest value of a number; `null`: none but what `length` and `precision` say. */
  readonly min: number | null
  readonly max: number | null
  /** Fewest characters of a value that is not empty; 0: no limit. */
  readonly minLength: number
  /** Regular expression (JavaScript, flag `v`) that the whole value must match; `null`: any. */
  readonly pattern: string | null
  /** Datetime: `UTC`, or `none` for one that has no time zone, which takes none either. */
  readonly zone: 'UTC' | 'none' | null
  /** Document, image: most bytes of the content. */
  readonly maxBytes: number | null
  /** Image: media types of the pictures that it takes. */
  readonly mediaTypes: readonly string[] | null
  /** Name of the area. */
  readonly area: string
  readonly key: boolean
  /** A value must be given in this context. */
  readonly required: boolean
  /** A value may be given in this context. */
  readonly updatable: boolean
  readonly visible: boolean
  /** It can be filtered. */
  readonly searchable: boolean
  /** Place in the object's own sort, negative when descending; 0: it is not in it. */
  readonly searchOrder: number
  readonly defaultValue: FieldValue
  /** Joined field: id and name of the reference that it comes with. */
  readonly refId: string | null
  readonly ref: string | null
  /** Reference, joined field: the linked object, and its field. */
  readonly refObject: string | null
  readonly refField: string | null
  readonly listOfValuesName: string | null
  readonly listOfValues: readonly ListValueMetadata[] | null
}

export interface ListValueMetadata {
  readonly code: string
  /** For people. */
  readonly value: string
  readonly enabled: boolean
}

/** A reference of another object, or of the object itself, that points here. */
export interface LinkMetadata {
  /** `<Object>.<field>`. */
  readonly id: string
  readonly name: string
  readonly label: string
  /** The object that refers. */
  readonly object: string
  /** Its field. */
  readonly field: string
  /** What happens to its records when the linked one is deleted. */
  readonly onDelete: ReferenceModel['onDelete']
}

export interface ActionMetadata {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly help: string
  readonly scope: Scope
  /** Question to put before it runs; empty: none. */
  readonly confirm: string
  /** It is answered immediately and keeps running. */
  readonly background: boolean
  readonly parameters: readonly FieldMetadata[]
}

export interface PublicationMetadata {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly help: string
  readonly scope: Scope
  readonly format: PublicationFormat
  readonly mime: string
}

export interface CrosstabMetadata {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly help: string
  readonly lines: readonly AxisMetadata[]
  readonly columns: readonly AxisMetadata[]
  readonly values: readonly {
    readonly name: string
    readonly label: string
    readonly function: CrosstabValueModel['function']
    /** `null`: records are counted. */
    readonly field: string | null
  }[]
}

export interface AxisMetadata {
  readonly name: string
  readonly label: string
  readonly field: string
  /** Part of the date; `null`: the whole value. */
  readonly by: string | null
}
