import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DefinitionError } from '../../errors.js'
import { loadCheckedFile, parseCheckedFile, readText } from './checked-file.js'
import type { PublicationDefinition } from '../publications/publication.js'
import type { ObjectDefinition } from './definition.js'

/**
 * Reads one object definition from a YAML or JSON file. Files of publications are looked for beside it.
 *
 * @throws DefinitionError listing every mistake as `<file>:<line>:<column> <path> <what is wrong>`, or saying why the file cannot be read.
 */
export async function loadObjectFile(path: string): Promise<ObjectDefinition> {
  return withFilesBeside(path, (await loadCheckedFile(path, objectSchema(), validator)) as ObjectDefinition)
}

/**
 * Reads all definitions of a YAML file that holds several, with `---` between them.
 *
 * @throws DefinitionError as {@link loadObjectFile}.
 */
export async function loadObjectFiles(path: string): Promise<ObjectDefinition[]> {
  const definitions: ObjectDefinition[] = []
  const problems: string[] = []
  for (const part of documentsOf(await readText(path))) {
    try {
      definitions.push(withFilesBeside(path, await parseObjectFile(part, path)))
    } catch (error) {
      if (!DefinitionError.is(error)) throw error
      problems.push(...error.messages)
    }
  }
  if (problems.length > 0) throw new DefinitionError(problems)
  return definitions
}

/** Each with empty lines in place of those before it, so that mistakes are reported with their line in the file. */
function documentsOf(text: string): string[] {
  const lines = text.split('\n')
  const isSeparator = (line: string): boolean => /^---(?:\s|$)/.test(line)
  const starts = [0, ...lines.flatMap((line, at) => (isSeparator(line) ? [at + 1] : []))]
  const parts = starts.map((start, n) => {
    const end = (starts[n + 1] ?? lines.length + 1) - 1
    return { start, own: lines.slice(start, end) }
  })
  const full = parts.filter(({ own }) => own.some((line) => !/^\s*(?:#.*)?$/.test(line)))
  const chosen = full.length > 0 ? full : parts.slice(0, 1)
  return chosen.map(({ start, own }) => '\n'.repeat(start) + own.join('\n'))
}

function withFilesBeside(path: string, definition: ObjectDefinition): ObjectDefinition {
  const { publications } = definition
  if (!publications) return definition
  return { ...definition, publications: mapValues(publications, (publication) => withFileBeside(path, publication)) }
}

function withFileBeside(path: string, publication: PublicationDefinition): PublicationDefinition {
  const { file } = publication
  return typeof file === 'string' ? { ...publication, file: resolve(dirname(path), file) } : publication
}

function mapValues<T>(values: Readonly<Record<string, T>>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}

/**
 * Reads one object definition from YAML or JSON text. What needs other objects (references, display fields) is checked
 * when a model is built from it.
 *
 * @param fileName for messages.
 * @throws DefinitionError as {@link loadObjectFile}.
 */
export async function parseObjectFile(text: string, fileName: string): Promise<ObjectDefinition> {
  return (await parseCheckedFile(text, fileName, objectSchema(), validator)) as ObjectDefinition
}

let schema: object | undefined

/** Made by the build. */
const validator = new URL('./schema/object.validate.js', import.meta.url)

/** The published schema: beside the built files, or where it is written when this file runs from its source. Read when first needed. */
function objectSchema(): object {
  if (schema) return schema
  const [built, source] = ['./schema/object.json', '../../../schema/object.json'].map(
    (path) => new URL(path, import.meta.url),
  ) as [URL, URL]
  return (schema = JSON.parse(readFileSync(existsSync(built) ? built : source, 'utf8')) as object)
}
