import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Introspection, ObjectDefinition } from '@steward/rest-core'
import { isMap, parseDocument, stringify } from 'yaml'
import { SettingsError } from '../settings.js'
import type { DefinitionFormat } from './definition-format.js'
import { skippedText } from './describe-database.js'

const columns = 120

/** All definitions as one text: documents of YAML, or a module. */
export function definitionsText(database: Required<Introspection>, format: DefinitionFormat): string {
  const head = headOf(database)
  const texts = database.objects.map((object) => definitionText(object, database, format))
  if (format === 'ts') return [...commentLines(head, '//'), importLine, '', ...texts].join('\n')
  return `${[...commentLines(head, '#'), ''].join('\n')}${texts.join('---\n')}`
}

/**
 * One file per object.
 *
 * @returns names of the files
 * @throws SettingsError when one is there already; nothing is written then.
 */
export async function writeDefinitions(
  folder: string,
  database: Required<Introspection>,
  format: DefinitionFormat,
): Promise<string[]> {
  const files = database.objects.map((object) => ({
    name: `${fileName(object.name)}.${format}`,
    text: `${format === 'ts' ? `${importLine}\n\n` : ''}${definitionText(object, database, format)}`,
  }))
  const taken = files.find(({ name }) => existsSync(join(folder, name)))
  if (taken)
    throw new SettingsError(
      `${join(folder, taken.name)} is there already, and is not overwritten. Give another folder with --output, or look at what differs with --diff.`,
    )
  await mkdir(folder, { recursive: true, mode: 0o755 })
  for (const { name, text } of files) await writeFile(join(folder, name), text, { flag: 'wx', mode: 0o644 })
  return files.map(({ name }) => name)
}

/** What concerns no object that is written. */
export function headOf({ skipped }: Pick<Introspection, 'skipped'>): string[] {
  return skipped.filter(({ column }) => column === undefined).map(skippedText)
}

/** `order-details` of `OrderDetails`. */
function fileName(object: string): string {
  return object.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase()
}

const importLine = `import { defineObject } from '@steward/rest-core'`

function definitionText(object: ObjectDefinition, database: Required<Introspection>, format: DefinitionFormat): string {
  const notes = database.notes.filter(({ table }) => table === object.table).map(({ text }) => sentence(text))
  const leftOut = database.skipped.filter(({ table, column }) => table === object.table && column !== undefined)
  const comments = [...notes, ...leftOut.map(({ column, reason }) => `Column ${column} is left out: ${reason}.`)]
  return format === 'ts' ? moduleText(object, comments) : yamlText(object, comments)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function yamlText(object: ObjectDefinition, comments: readonly string[]): string {
  const document = parseDocument(stringify(object))
  const fields = document.get('fields')
  if (isMap(fields)) for (const { value } of fields.items) if (isMap(value)) value.flow = true
  const lines = commentLines(comments, '#')
  return `${lines.length > 0 ? `${lines.join('\n')}\n` : ''}${document.toString({ lineWidth: columns, flowCollectionPadding: true })}`
}

function moduleText(object: ObjectDefinition, comments: readonly string[]): string {
  const { fields, ...rest } = object
  const lines = [
    ...commentLines(comments, '//'),
    `export const ${object.name} = defineObject({`,
    ...Object.entries(rest).map(([key, value]) => `  ${key}: ${literal(value)},`),
    '  fields: {',
    ...Object.entries(fields).map(([name, field]) => `    ${name}: ${literal(field)},`),
    '  },',
    '})',
    '',
  ]
  return `${lines.join('\n')}\n`
}

function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${/^[A-Za-z_]\w*$/.test(key) ? key : literal(key)}: ${literal(each)}`)
    .join(', ')} }`
}

/** Comments may come from names in the database, which may hold anything. */
function commentLines(comments: readonly string[], mark: '#' | '//'): string[] {
  return comments.map((text) => `${mark} ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`)
}
