import type { CustomFieldType, DocumentStore, DocumentStorePlugin } from '@steward/rest-core'
import { DefinitionError } from '@steward/rest-core/errors'
import type { Authenticator, AuthenticatorContext, AuthenticatorPlugin } from '@steward/rest-koa'
import { importPackage } from './application-modules.js'
import { SettingsError } from './settings.js'

/** A part of an application that an npm package brings. */
export interface PackageUse {
  /** Name of the package; it is looked for in the application's folder first, then beside the server. */
  readonly package: string
  readonly options?: Readonly<Record<string, unknown>>
}

/**
 * The field types that packages export as `fieldType` or `fieldTypes`.
 *
 * @throws DefinitionError naming each package that is missing, fails, or has none.
 */
export async function loadFieldTypes(folder: string, names: readonly string[]): Promise<CustomFieldType[]> {
  const problems: string[] = []
  const types: CustomFieldType[] = []
  for (const name of names) {
    try {
      const { fieldType, fieldTypes } = await load(folder, 'fieldTypes', name)
      const found = [fieldType ?? [], fieldTypes ?? []].flat() as CustomFieldType[]
      if (found.length === 0)
        problems.push(`app.yaml: fieldTypes: the package ${name} exports no "fieldType" and no "fieldTypes"`)
      types.push(...found)
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  if (problems.length > 0) throw new DefinitionError(problems)
  return types
}

/** @throws SettingsError when the package is missing, exports no store, or refuses its options. */
export async function openDocumentsPackage(
  folder: string,
  use: PackageUse,
  dataFolder: string,
): Promise<DocumentStore> {
  const plugin = await pluginOf<DocumentStorePlugin>(folder, 'documents', use)
  return open('documents', use, () => plugin.open(optionsOf('documents', use), { dataFolder }))
}

/** @throws SettingsError when the package is missing, exports no authenticator, or refuses its options. */
export async function openAuthenticator(
  folder: string,
  use: PackageUse,
  context: AuthenticatorContext,
): Promise<Authenticator> {
  const plugin = await pluginOf<AuthenticatorPlugin>(folder, 'authenticator', use)
  return open('authenticator', use, () => plugin.open(optionsOf('authenticator', use), context))
}

async function pluginOf<P extends { open: unknown }>(folder: string, part: string, use: PackageUse): Promise<P> {
  const plugin = (await load(folder, part, use.package))[part] as P | undefined
  if (typeof plugin?.open === 'function') return plugin
  throw new SettingsError(
    `app.yaml: ${part}: the package ${use.package} exports no "${part}" with a function "open", so it cannot be used here.`,
  )
}

async function load(folder: string, part: string, name: string): Promise<Record<string, unknown>> {
  const module = await importPackage(name, folder).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SettingsError(`app.yaml: ${part}: the package ${name} cannot be loaded: ${reason}`, { cause: error })
  })
  if (module) return module
  throw new SettingsError(
    `app.yaml: ${part}: the package ${name} is not installed; install it in the application: npm install ${name}`,
  )
}

async function open<T>(part: string, use: PackageUse, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SettingsError(`app.yaml: ${part}: ${use.package} cannot be used: ${reason}`, { cause: error })
  }
}

/** Texts such as `${BUCKET_KEY}` are the environment variable of that name, so that secrets need not be in the file. */
function optionsOf(part: string, { options = {} }: PackageUse): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, fromEnvironment(value, `app.yaml: ${part}.options.${name}`)]),
  )
}

function fromEnvironment(value: unknown, place: string): unknown {
  const [, variable] = typeof value === 'string' ? (/^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value) ?? []) : []
  if (variable === undefined) return value
  const found = process.env[variable]
  if (found !== undefined && found !== '') return found
  throw new SettingsError(`${place}: the environment variable ${variable} is not set.`)
}
