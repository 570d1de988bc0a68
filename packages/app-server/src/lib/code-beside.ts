import { basename } from 'node:path'
import { objectCodeKeys } from '@steward/rest-core'
import type { ObjectCode, ObjectDefinition } from '@steward/rest-core'
import { DefinitionError } from '@steward/rest-core/errors'
import { importModule } from './application-modules.js'
import { moduleProblem } from './module-problem.js'

/**
 * Puts the code of modules of the same name (`ticket.ts` of `ticket.yaml`) into the definition of a file.
 *
 * @throws DefinitionError naming file and key when both files say the same thing, or the module says what it may not.
 */
export async function withCodeBeside(
  file: string,
  definition: ObjectDefinition,
  modules: readonly string[],
): Promise<ObjectDefinition> {
  const [module, second] = modules
  if (module === undefined) return definition
  if (second !== undefined)
    throw new DefinitionError([
      `${second}: ${basename(file)} already has its code in ${basename(module)}; keep one of them`,
    ])
  const code = await loadCode(module, file)
  const known = objectCodeKeys.join(', ')
  const problems: string[] = []
  const merged: Record<string, object | undefined> = { ...(definition as object) }
  for (const [key, value] of Object.entries(code as Record<string, object | undefined>)) {
    const there = merged[key]
    if (!(objectCodeKeys as readonly string[]).includes(key)) {
      problems.push(`${module}: "${key}" belongs in ${basename(file)}; code beside it is one of ${known}`)
    } else if (there === undefined) merged[key] = value
    else if (key === 'states') problems.push(`${module}: "states" is also in ${basename(file)}; keep one of them`)
    else {
      const twice = Object.keys(value ?? {}).filter((name) => Object.hasOwn(there, name))
      problems.push(
        ...twice.map((name) => `${module}: "${key}.${name}" is also in ${basename(file)}; keep one of them`),
      )
      merged[key] = { ...there, ...value }
    }
  }
  if (problems.length > 0) throw new DefinitionError(problems)
  return merged as unknown as ObjectDefinition
}

async function loadCode(module: string, file: string): Promise<ObjectCode> {
  const { default: code } = await importModule(module).catch(async (error: unknown) => {
    throw new DefinitionError([await moduleProblem(module, error)], { cause: error })
  })
  if (typeof code === 'object' && code !== null && !Array.isArray(code)) return code
  throw new DefinitionError([
    `${module}: the module holds the code of ${basename(file)} and needs "export default defineCode({ … })"; ` +
      'to define another object, rename the file',
  ])
}
