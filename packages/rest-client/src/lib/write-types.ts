import type { AnyRecord } from './types.js'

/** What is read of the metadata of a field. */
interface FieldMetadata {
  /** Name in records. */
  readonly input: string
  readonly label?: string
  readonly type: number
  readonly listOfValues?: readonly { readonly code: string }[]
}

/** Type numbers of metadata whose values are no texts. Source: docs/spec/wire-decisions.md, "metadata". */
const typeOf: Readonly<Record<number, string>> = {
  1: 'number | string | null',
  2: 'number | string | null',
  8: 'boolean',
  24: 'unknown',
  26: 'number | string | null',
}
const enumType = 7
const multiEnumType = 14
const passwordType = 9

/** A TypeScript module with an interface per object and `Records`, which maps their names to them. */
export function writeTypes(metadata: readonly AnyRecord[]): string {
  const interfaces = metadata.map((object) => writeInterface(object))
  const entries = metadata.map(({ name }) => `  ${name}: ${typeName(name)}\n`).join('')
  return `// Written by "rest-client types" from the metadata of the service.\n\n${interfaces.join('\n')}\nexport interface Records {\n${entries}}\n`
}

function writeInterface({ name, label, fields }: AnyRecord): string {
  const own = (fields as readonly FieldMetadata[]).filter(
    ({ type, input }) => type !== passwordType && input !== 'row_id',
  )
  const lines = own.map((field) => `${comment(field.label, field.input)}  ${field.input}: ${valueType(field)}\n`)
  return `${comment(label, name).trimStart()}export interface ${typeName(name)} {\n  row_id: string\n${lines.join('')}}\n`
}

function valueType({ type, listOfValues }: FieldMetadata): string {
  const codes = listOfValues?.map(({ code }) => JSON.stringify(code)).join(' | ') || 'string'
  if (type === enumType) return `${codes} | ''`
  if (type === multiEnumType) return `(${codes})[]`
  return typeOf[type] ?? 'string'
}

function typeName(object: string): string {
  return object.charAt(0).toUpperCase() + object.slice(1)
}

function comment(label: string | undefined, name: string): string {
  return label && label !== name ? `  /** ${label.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n` : ''
}
