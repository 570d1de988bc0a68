import { readdir } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { ObjectDefinition } from '@steward/rest-core'
import { loadObjectFiles } from '@steward/rest-core'
import { DefinitionError } from '@steward/rest-core/errors'
import { importModule } from './application-modules.js'
import { withCodeBeside } from './code-beside.js'
import { moduleProblem } from './module-problem.js'

const moduleFile = /\.(?:ts|mts|js|mjs)$/
const leftOut = /\.(?:test|d)\.[cm]?[tj]s$/
const dataFile = /\.(?:yaml|yml|json)$/

/**
 * Reads the object definitions of a folder: one per YAML or JSON file, with the code of a module of the same name, several
 * of a YAML file with `---` between them, and every definition that another module exports. Files whose name starts with `_` or `.` are left out, so that modules
 * can share code.
 *
 * @returns definitions in the order of the file names.
 * @throws DefinitionError with all mistakes of all files.
 */
export async function loadObjects(folder: string): Promise<ObjectDefinition[]> {
  return (await loadLocatedObjects(folder)).map(({ definition }) => definition)
}

/** A definition and the files that it comes from: its own first, then that of its code. */
export interface LocatedObject {
  readonly definition: ObjectDefinition
  /** Absolute. */
  readonly files: readonly string[]
}

/** The same, with the files of each definition. @throws DefinitionError with all mistakes of all files. */
export async function loadLocatedObjects(folder: string): Promise<LocatedObject[]> {
  const names = await readdir(folder).catch((cause: Error) => {
    throw new DefinitionError([`${folder} cannot be read, so there are no objects: ${cause.message}`], { cause })
  })
  const files = names.filter((name) => !/^[._]/.test(name) && !leftOut.test(name)).toSorted()
  const modules = files.filter((name) => moduleFile.test(name))
  const data = files.filter((name) => dataFile.test(name))
  const codeOf = (name: string) => modules.filter((module) => parse(module).name === parse(name).name)
  const code = new Set(data.flatMap(codeOf))
  const problems: string[] = []
  const objects: LocatedObject[] = []
  for (const name of files) {
    const file = join(folder, name)
    try {
      if (data.includes(name)) {
        const beside = codeOf(name).map((module) => join(folder, module))
        const loaded = await loadObjectFiles(file)
        const [only] = loaded
        if (only && loaded.length === 1)
          objects.push({ definition: await withCodeBeside(file, only, beside), files: [file, ...beside] })
        else if (beside.length === 0) objects.push(...located(loaded, file))
        else problems.push(`${beside[0]}: ${name} holds several objects; one with code needs its own file`)
      } else if (modules.includes(name) && !code.has(name)) objects.push(...located(await loadModule(file), file))
    } catch (error) {
      problems.push(...(DefinitionError.is(error) ? error.messages : [await moduleProblem(file, error)]))
    }
  }
  if (problems.length > 0) throw new DefinitionError(problems)
  return objects
}

function located(definitions: readonly ObjectDefinition[], file: string): LocatedObject[] {
  return definitions.map((definition) => ({ definition, files: [file] }))
}

async function loadModule(file: string): Promise<ObjectDefinition[]> {
  const exported = Object.values(await importModule(file)).flat()
  const definitions = [...new Set(exported)].filter(isDefinition)
  if (definitions.length === 0)
    throw new DefinitionError([
      `${file}: it exports no object definition; write export const Thing = defineObject({ … })`,
    ])
  return definitions
}

function isDefinition(value: unknown): value is ObjectDefinition {
  return typeof value === 'object' && value !== null && 'name' in value && 'fields' in value
}
