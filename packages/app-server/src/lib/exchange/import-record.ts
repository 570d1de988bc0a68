import { RestError } from '@steward/rest-core/errors'

/**
 * What is done with the record that has the functional key. Source: docs/spec/wire-decisions.md, "Application server".
 */
export const importActions = ['upsert', 'insert', 'update', 'delete'] as const

export type ImportAction = (typeof importActions)[number]

/** Where a record stands, for messages. */
export interface FilePlace {
  /** Absent: there is only one. */
  readonly file?: string | undefined
  readonly line?: number | undefined
  /** 1-based number within its file; where lines are not known. */
  readonly record?: number | undefined
}

/** One record of a file, as it is written there. */
export interface ImportRecord {
  readonly object: string
  readonly action: ImportAction
  /** By name: a field, `fk.field`, or the part of a document (`poster.name`). */
  readonly values: ReadonlyMap<string, unknown>
  /** Values are texts, also those of fields of type object, which hold JSON. */
  readonly isText: boolean
  readonly place: FilePlace
  /** Other entries of the same ZIP. */
  readonly attachments?: Attachments | undefined
}

/** Contents that records refer to by path. */
export interface Attachments {
  /** @returns `undefined` when there is no such entry. @throws RestError ERR_TOO_LARGE */
  read(path: string, maxBytes: number): Promise<Uint8Array | undefined>
}

/** `movies.csv, line 12`. Empty when there is no place to name. */
export function describePlace({ file, line, record }: FilePlace): string {
  const at = line !== undefined ? `line ${line}` : record !== undefined ? `record ${record}` : undefined
  return [file, at].filter((part) => part !== undefined).join(', ')
}

/** Text with its place in front. */
export function withPlace(place: FilePlace, text: string): string {
  const where = describePlace(place)
  return where === '' ? text : `${where}: ${text}`
}

/** A file that cannot be read as what it should be. */
export function fileError(place: FilePlace, text: string, cause?: unknown): RestError {
  return new RestError('ERR_BAD_REQUEST', withPlace(place, text), { cause })
}

/** @throws RestError ERR_BAD_REQUEST; nothing means upsert. */
export function readAction(text: string | undefined, place: FilePlace): ImportAction {
  if (text === undefined || text === '') return 'upsert'
  const action = importActions.find((name) => name === text)
  if (action) return action
  throw fileError(place, `"${text.slice(0, 40)}" is not an action. Use one of: ${importActions.join(', ')}.`)
}
