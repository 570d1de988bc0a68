import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { checkNamed } from '../actions/create-actions.js'
import type { ObjectModel, ReadableField } from '../model/model.js'
import { formats } from './formats.js'
import type { Format } from './formats.js'
import type { PublicationDefinition, PublicationModel } from './publication.js'
import { shownField } from './template-scope.js'
import { createTextTemplate } from './text-template.js'

/**
 * The publications of an object by name; mistakes are added to `problems`. Files of templates are read here, so that a
 * missing one is reported at the start.
 */
export function createPublications(object: ObjectModel, problems: string[]): ReadonlyMap<string, PublicationModel> {
  const publications = new Map<string, PublicationModel>()
  for (const [name, definition] of Object.entries(object.definition.publications ?? {})) {
    const found: string[] = []
    const model = createPublication(object, name, definition, found)
    if (model) publications.set(name, model)
    problems.push(...found.map((text) => `${object.name}.publications.${name}: ${text}`))
  }
  return publications
}

function createPublication(
  object: ObjectModel,
  name: string,
  definition: PublicationDefinition,
  problems: string[],
): PublicationModel | undefined {
  const { label = name, scope = 'record', fileName } = definition
  const format = Object.hasOwn(formats, definition.format) ? formats[definition.format] : undefined
  problems.push(...checkNamed(name, scope))
  if (!format) {
    problems.push(`format is "${definition.format}"; it must be one of ${Object.keys(formats).join(', ')}`)
    return undefined
  }
  problems.push(...checkParts(definition, format))
  const isWord = definition.format === 'docx'
  const bytes = definition.file === undefined ? undefined : readFile(definition.file, problems)
  const text = isWord ? undefined : (definition.template ?? bytes?.toString('utf8').replace(/^\ufeff/, ''))
  const place = definition.file === undefined ? 'template' : String(definition.file)
  return {
    name,
    label,
    scope,
    mime: format.mime,
    definition,
    template: text === undefined || !format.text ? undefined : template(text, place, definition.format),
    word: isWord ? bytes : undefined,
    columns: columnsOf(object, definition, format, problems),
    fileName: fileName === undefined ? undefined : template(fileName, 'fileName', 'txt'),
  }

  function template(source: string, where: string, as: PublicationDefinition['format']) {
    const found: string[] = []
    // A name of a file cannot show many records.
    const whole = where === 'fileName' ? 'file' : 'list'
    const made = createTextTemplate(source, { object, format: as, scope: scope === 'record' ? 'record' : whole }, found)
    problems.push(...found.map((problem) => `${where}: ${problem}`))
    return made
  }
}

function checkParts({ template, file, fields, format: name }: PublicationDefinition, format: Format): string[] {
  const problems: string[] = []
  const hasTemplate = template !== undefined || file !== undefined
  if (template !== undefined && file !== undefined) problems.push('it has "template" and "file"; give one of them')
  if (name === 'docx' && file === undefined) problems.push('docx needs "file", a Word document with {tags}')
  if (name === 'docx' && template !== undefined) problems.push('docx takes no "template"')
  if (name === 'xlsx' && hasTemplate) problems.push('xlsx is a table of "fields" and takes no template')
  if (format.text && !format.table && !hasTemplate) problems.push(`${name} needs "template" or "file"`)
  if (fields && (hasTemplate || !format.table)) problems.push('"fields" are for tables without a template')
  return problems
}

function readFile(file: string | URL, problems: string[]): Buffer | undefined {
  if (typeof file === 'string' && !isAbsolute(file)) {
    problems.push(`file "${file}" is relative; give an absolute path, or new URL("./${file}", import.meta.url)`)
    return undefined
  }
  try {
    return readFileSync(file)
  } catch (error) {
    problems.push(`file ${String(file)} cannot be read: ${(error as Error).message}`)
    return undefined
  }
}

function columnsOf(
  object: ObjectModel,
  { fields }: PublicationDefinition,
  { people, table }: Format,
  problems: string[],
): ReadableField[] {
  if (!table) return []
  if (fields) {
    return fields.flatMap((name) => {
      const field = shownField(object, name)
      if (!field) problems.push(`fields: "${object.name}" has no field "${name}"`)
      return field ?? []
    })
  }
  const unread = new Set(['id', 'document', 'image'])
  return object.selection.fields.filter(({ type }) => !(people && unread.has(type.name)))
}
