import type { ErrorMessage, Refusal, StoreError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { quote } from '../fields/describe.js'
import type { FieldModel, ObjectModel } from '../model/model.js'
import type { ObjectStore } from '../store.js'

/** Messages about values that a database refused, naming the fields as far as it says which. */
export async function refusedValues(
  { refusal = {} }: StoreError,
  object: ObjectModel | undefined,
  values: Readonly<Record<string, FieldValue>>,
  store: Pick<ObjectStore, 'constraintColumns'>,
): Promise<ErrorMessage[]> {
  const { why } = refusal
  const fields = object ? await fieldsOf(refusal, object, values, store) : []
  const [column] = refusal.columns ?? []
  if (why === 'missing' && fields.length === 0 && column !== undefined) return [leftOutMessage(column)]
  if (why === 'check' || fields.length === 0) return [ruleMessage(refusal, fields)]
  return fields.map((field) => valueMessage(refusal, field))
}

/** The key of which the database said that another record has it; undefined when it did not say which. */
export async function refusedKey(
  { refusal = {} }: StoreError,
  object: ObjectModel,
  store: Pick<ObjectStore, 'constraintColumns'>,
): Promise<FieldModel[] | undefined> {
  const fields = await fieldsOf(refusal, object, {}, store)
  return fields.length > 0 ? fields : undefined
}

async function fieldsOf(
  refusal: Refusal,
  object: ObjectModel,
  values: Readonly<Record<string, FieldValue>>,
  store: Pick<ObjectStore, 'constraintColumns'>,
): Promise<FieldModel[]> {
  const own = [object.id, ...object.fields].filter(({ parts }) => !parts)
  const { constraint } = refusal
  const columns =
    refusal.columns ??
    // What is only meant to explain a refusal must not hide it.
    (constraint === undefined ? undefined : await store.constraintColumns?.(object, constraint).catch(() => undefined))
  const found = columns?.flatMap(
    (column) => own.find((field) => field.column.toLowerCase() === column.toLowerCase()) ?? [],
  )
  return found?.length ? found : fieldsByValue(refusal, own, values)
}

/** Where the database says the value, or how long it may be, but not the column: the one field that fits. */
function fieldsByValue(
  { value, length }: Refusal,
  fields: readonly FieldModel[],
  values: Readonly<Record<string, FieldValue>>,
): FieldModel[] {
  const fits = fields.filter(({ name, columnType }) => {
    const given = values[name]
    if (given === undefined || given === null) return false
    // An array is refused as a whole, in a spelling of its own.
    if (typeof given === 'object') return value?.startsWith('{') && columnType.kind === 'json' && columnType.array
    const text = String(given)
    return value === undefined ? length !== undefined && [...text].length > length : text === value
  })
  return fits.length === 1 ? fits : []
}

function valueMessage({ why, value, length, constraint }: Refusal, { name }: FieldModel): ErrorMessage {
  const about = (code: ErrorMessage['code'], text: string): ErrorMessage => ({
    code,
    field: name,
    text: `Field "${name}" ${text}.`,
  })
  switch (why) {
    case 'missing':
      return about('ERR_REQUIRED', 'is required')
    case 'length':
      return about(
        'ERR_LENGTH',
        length === undefined ? 'is too long for its column' : `must have at most ${length} characters`,
      )
    case 'range':
      return about('ERR_TYPE', 'is too large or too small for its column')
    case 'characters':
      return about('ERR_TYPE', 'has characters that its column cannot store, because its character set lacks them')
    case 'form':
      return about(
        'ERR_TYPE',
        `has a value that its column does not take${value === undefined ? '' : `: ${quote(value)}`}`,
      )
    default:
      return about(
        'ERR_VALIDATION',
        `has a value that the database refused${constraint === undefined ? '' : ` (${constraint})`}`,
      )
  }
}

const generalTexts: Readonly<Record<NonNullable<Refusal['why']>, string>> = {
  missing: 'A required value is missing.',
  length: 'A value is too long for its column.',
  range: 'A value is too large or too small for its column.',
  characters: 'A text has characters that its column cannot store, because its character set lacks them.',
  form: 'A value is not of the type of its column.',
  check: 'The record breaks a rule of the database.',
  trigger: 'A trigger of the database refused the record; the log of the server says why.',
}

const codes: Readonly<Record<NonNullable<Refusal['why']>, ErrorMessage['code']>> = {
  missing: 'ERR_REQUIRED',
  length: 'ERR_LENGTH',
  range: 'ERR_TYPE',
  characters: 'ERR_TYPE',
  form: 'ERR_TYPE',
  check: 'ERR_VALIDATION',
  trigger: 'ERR_VALIDATION',
}

/** Only other programs can fill it. */
function leftOutMessage(column: string): ErrorMessage {
  return {
    code: 'ERR_REQUIRED',
    text: `A record needs a value in the column ${quote(column)}, which no field holds. Give the column a default in the database.`,
  }
}

function ruleMessage({ why, constraint }: Refusal, fields: readonly FieldModel[]): ErrorMessage {
  if (!why) return { code: 'ERR_TYPE', text: 'The database refused a value; the log of the server says why.' }
  if (why !== 'check' || constraint === undefined) return { code: codes[why], text: generalTexts[why] }
  const names = fields.map(({ name }) => name)
  const about = names.length > 0 ? `, which is about ${names.map((name) => `"${name}"`).join(', ')}` : ''
  const [field] = names
  return {
    code: codes[why],
    ...(field !== undefined && { field }),
    ...(names.length > 1 && { fields: names }),
    text: `The record breaks the rule ${quote(constraint)} of the database${about}.`,
  }
}
