import { existsSync, readFileSync } from 'node:fs'
import { loadCheckedFile, parseCheckedFile } from './checked-file.js'
import type { ObjectDefinition } from './definition.js'

/**
 * Reads one object definition from a YAML or JSON file.
 *
 * @throws DefinitionError listing every mistake as `<file>:<line>:<column> <path> <what is wrong>`, or saying why the file cannot be read.
 */
export async function loadObjectFile(path: string): Promise<ObjectDefinition> {
  return (await loadCheckedFile(path, objectSchema())) as ObjectDefinition
}

/**
 * Reads one object definition from YAML or JSON text. What needs other objects (references, display fields) is checked
 * when a model is made of it.
 *
 * @param fileName for messages.
 * @throws DefinitionError as {@link loadObjectFile}.
 */
export async function parseObjectFile(text: string, fileName: string): Promise<ObjectDefinition> {
  return (await parseCheckedFile(text, fileName, objectSchema())) as ObjectDefinition
}

let schema: object | undefined

/** The published schema: beside the built files, or where it is written when this file runs from its source. Read when first needed. */
function objectSchema(): object {
  if (schema) return schema
  const [built, source] = ['./schema/object.json', '../../../schema/object.json'].map(
    (path) => new URL(path, import.meta.url),
  ) as [URL, URL]
  return (schema = JSON.parse(readFileSync(existsSync(built) ? built : source, 'utf8')) as object)
}
