import { readFile } from 'node:fs/promises'
import { DefinitionError } from '../../errors.js'

/**
 * Reads a YAML or JSON file and checks it against a JSON Schema (2020-12).
 *
 * @param validator module whose default export is the schema as ajv compiled it ahead (`allErrors`, `verbose`), which saves
 *   loading ajv and compiling; ajv does it when there is no such module.
 * @returns the data, without its `$schema`; the schema vouches for the type.
 * @throws DefinitionError listing every mistake as `<file>:<line>:<column> <path> <what is wrong>`, or saying why the file cannot be read.
 */
export async function loadCheckedFile(path: string, schema: object, validator?: URL): Promise<unknown> {
  return parseCheckedFile(await readText(path), path, schema, validator)
}

/** @throws DefinitionError saying why the file cannot be read. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new DefinitionError([`${path} cannot be read: ${(error as Error).message}`], { cause: error })
  }
}

/**
 * Does the same for a text.
 *
 * @param fileName for messages.
 * @throws DefinitionError as {@link loadCheckedFile}.
 */
export async function parseCheckedFile(
  text: string,
  fileName: string,
  schema: object,
  validator?: URL,
): Promise<unknown> {
  const { checkText } = await import('./check-text.js')
  return checkText(text, fileName, schema, validator)
}
