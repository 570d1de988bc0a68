import type { FieldDefinition, ObjectDefinition } from '../definition/definition.js'

/** The field has no column: its value consists of those of other fields. */
export function isMadeOfFields(field: FieldDefinition): boolean {
  return (field.type === 'id' && field.fields !== undefined) || (field.type === 'reference' && field.via !== undefined)
}

/** Types whose values can be part of a row id: each value has one text. */
const keyTypes: ReadonlySet<FieldDefinition['type']> = new Set([
  'string',
  'text',
  'url',
  'email',
  'phone',
  'color',
  'integer',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'time',
  'enum',
  'reference',
])

/** Mistakes in row ids that consist of several fields, and in references to them. */
export function checkRowKeys(
  definition: ObjectDefinition,
  definitions: ReadonlyMap<string, ObjectDefinition>,
): readonly string[] {
  const { name, fields } = definition
  const problems: string[] = []
  const id = fields['row_id']
  const key = keyOf(definition)
  if (key) {
    const place = `${name}.row_id.fields`
    for (const text of checkParts(key, definition)) problems.push(`${place}: ${text}`)
    for (const option of ['column', 'values', 'required', 'readOnly', 'renamedFrom'] as const) {
      if (id !== undefined && option in id) problems.push(`${name}.row_id: "${option}" does not go with "fields"`)
    }
    for (const part of key) {
      const field = fields[part]
      if (field?.hidden) problems.push(`${place}: field "${part}" is hidden, but the row id shows its values`)
      if (field?.type === 'reference' && field.onDelete === 'setNull')
        problems.push(`${place}: field "${part}" cannot be emptied, so its onDelete is not "setNull"`)
    }
  }
  for (const [field, own] of Object.entries(fields)) {
    if (own.type !== 'reference') continue
    const target = definitions.get(own.object)
    const targetKey = target && keyOf(target)
    if (own.via === undefined) {
      if (targetKey)
        problems.push(
          `${name}.${field}: the row id of "${own.object}" consists of ${targetKey.join(', ')}; name the fields that ` +
            `contain these values: via: [${targetKey.join(', ')}]`,
        )
      continue
    }
    for (const text of checkParts(own.via, definition)) problems.push(`${name}.${field}.via: ${text}`)
    for (const option of ['column', 'key', 'unique', 'required', 'default', 'renamedFrom'] as const)
      if (option in own)
        problems.push(`${name}.${field}: "${option}" does not go with "via"; it is for the fields named there`)
    if (!targetKey) problems.push(`${name}.${field}.via: the row id of "${own.object}" is one column; leave "via" out`)
    else if (targetKey.length !== own.via.length)
      problems.push(
        `${name}.${field}.via: the row id of "${own.object}" consists of ${targetKey.length} fields ` +
          `(${targetKey.join(', ')}), not ${own.via.length}`,
      )
    const filled = own.via.find((part) => fields[part]?.required || fields[part]?.key || key?.includes(part))
    if (own.onDelete === 'setNull' && filled !== undefined)
      problems.push(`${name}.${field}: onDelete "setNull" does not go with "${filled}", which is required`)
  }
  return problems
}

function keyOf({ fields }: ObjectDefinition): readonly string[] | undefined {
  const id = fields['row_id']
  return id?.type === 'id' ? id.fields : undefined
}

function* checkParts(parts: readonly string[], { fields }: ObjectDefinition): Iterable<string> {
  if (parts.length < 2) yield 'needs at least two fields; a key of one column is mapped by "column"'
  for (const [at, part] of parts.entries()) {
    const field = fields[part]
    if (parts.indexOf(part) !== at) yield `"${part}" stands there twice`
    else if (!field || part === 'row_id') yield `"${part}" is not a field of the object`
    else if (isMadeOfFields(field)) yield `"${part}" has no column; name the fields that it consists of`
    else if (!keyTypes.has(field.type)) yield `field "${part}" of type "${field.type}" cannot be part of a row id`
  }
}
