/**
 * A dump of records: lines of JSON, the same for every database, since values have one form (`FieldValue`).
 *
 * - first a `DumpHeader`
 * - per object an `ObjectHeader`, then its rows as arrays in the order of `fields`
 * - last a `DumpEnd`: without it the dump was cut off
 */
export const formatName = 'steward-records'
export const formatVersion = 1

export interface DumpedApplication {
  readonly name: string
  readonly version: string
}

export interface DumpHeader {
  readonly format: typeof formatName
  readonly version: number
  readonly application: DumpedApplication
  /** ISO 8601, UTC */
  readonly created: string
}

export interface ObjectHeader {
  readonly object: string
  readonly fields: readonly string[]
}

export interface DumpEnd {
  /** Rows by object. */
  readonly end: Readonly<Record<string, number>>
}

export interface PortableOptions {
  /** Called after each batch. */
  readonly onProgress?: (object: string, rows: number) => void
}
