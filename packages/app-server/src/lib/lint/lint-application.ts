import { join, relative, sep } from 'node:path'
import { DefinitionError } from '@steward/rest-core/errors'
import { lintGrants, lintModel, lintPublications, readGrants } from '@steward/rest-core/lint'
import type { LintFinding, LintModelOptions, LintSeverity } from '@steward/rest-core/lint'
import type { Model, ObjectModel } from '@steward/rest-core'
import { loadAppDefinition } from '../app-definition.js'
import type { AppDefinition } from '../app-definition.js'
import type { ApplicationPlace } from '../check-application.js'
import { loadLocatedObjects } from '../load-objects.js'
import type { LocatedObject } from '../load-objects.js'
import { loadServedModel } from '../model-of.js'
import { openDatabase } from '../open-database.js'
import { loadSetup } from '../setup.js'
import { countWords, readApplicationFiles } from './application-files.js'
import type { ApplicationFile } from './application-files.js'
import { findPlace } from './find-place.js'
import { readRecords } from './read-records.js'
import { readProblem } from './read-problem.js'

/** What was found in an application, as data, for programs. */
export interface ApplicationLint {
  readonly format: 'steward-lint'
  readonly version: 1
  /** Parts of the application that have objects or code. */
  readonly modules: readonly LintedModule[]
  /** Sorted by file and line; those without a file come first. */
  readonly findings: readonly LocatedFinding[]
  /** What could not be looked at, and why. */
  readonly skipped: readonly string[]
}

/** A folder of an application; what lies beside `app.yaml` is the module `app`. */
export interface LintedModule {
  readonly name: string
  /** Files with definitions or code, below the folder of the application, sorted. */
  readonly files: readonly string[]
}

/** A finding with its place in the application. */
export interface LocatedFinding {
  /** A rule of the model, or `definition`: the application cannot start. */
  readonly rule: LintFinding['rule'] | 'definition'
  readonly severity: LintSeverity
  readonly message: string
  /** Where it belongs; what is found in the database belongs to `app`. */
  readonly module: string
  /** Below the folder of the application. */
  readonly file?: string
  /** Starts at 1, as does the column. */
  readonly line?: number
  readonly column?: number
}

/** The module of `app.yaml` and what lies beside it. */
const mainModule = 'app'

/**
 * Looks for what is wrong, or most likely not meant, in an application. Nothing is changed.
 *
 * @param withRecords also looks at grants and records in the database, which is only read
 */
export async function lintApplication(
  { folder, dataFolder, settings }: ApplicationPlace,
  { withRecords }: { readonly withRecords: boolean },
): Promise<ApplicationLint> {
  const files = await readApplicationFiles(folder, dataFolder)
  const skipped: string[] = []
  let objects: readonly LocatedObject[] = []
  const findings: LocatedFinding[] = []
  try {
    const definition = await loadAppDefinition(folder, settings)
    objects = await loadLocatedObjects(join(folder, 'objects'))
    const model = await loadServedModel(
      folder,
      definition,
      objects.map((object) => object.definition),
    )
    if (definition.setup !== undefined) await loadSetup(folder, definition.setup)
    const uses = usesIn(files, objects, folder)
    const found = withRecords ? await lintWithRecords(model, definition, uses) : lintModel(model, uses)
    findings.push(...[...found, ...(await lintPublications(model))].map(locate))
  } catch (error) {
    const messages = DefinitionError.is(error)
      ? error.messages
      : [error instanceof Error ? error.message : String(error)]
    findings.push(...messages.map(locateProblem))
  }
  const known = new Set(files.flatMap(({ name }) => moduleOf(name)))
  const modules = [...known].toSorted().map((name) => ({ name, files: filesOf(name, files) }))
  return {
    format: 'steward-lint',
    version: 1,
    modules: modules.filter((module) => module.files.length > 0),
    findings: findings.toSorted(byPlace),
    skipped,
  }

  async function lintWithRecords(
    model: Model,
    definition: AppDefinition,
    uses: LintModelOptions,
  ): Promise<LintFinding[]> {
    // Counting the records of large tables takes longer than a request may.
    const patient = { ...definition, statementTimeoutSeconds: 0 }
    const place = { folder, dataFolder, settings, definition: patient, introspect: false, readOnly: true }
    try {
      const store = await openDatabase(place)
      try {
        const rights = await readGrants(model, store, definition.publicUser)
        const records = await readRecords(model, store)
        return [...lintModel(model, { ...uses, ...records }), ...lintGrants(model, rights)]
      } finally {
        await store.close()
      }
    } catch (error) {
      skipped.push(`Grants and records: ${(error as Error).message}`)
      return lintModel(model, uses)
    }
  }

  function locate({ rule, severity, message, object, path = [] }: LintFinding): LocatedFinding {
    const place = object === undefined ? undefined : placeOf(object, path)
    return { rule, severity, message, module: moduleOf(place?.file), ...place }
  }

  function locateProblem(problem: string): LocatedFinding {
    const { object, path = [], ...read } = readProblem(folder, problem.replaceAll(join(folder, '/'), ''))
    const place = object === undefined ? undefined : placeOf(object, path)
    const { message, ...named } = read
    const rule = path[0] === 'publications' ? 'publication-field' : 'definition'
    const shown = object === undefined ? message : `${[object, ...path].join('.')}: ${message}`
    return { rule, severity: 'error', message: shown, module: moduleOf(place?.file ?? named.file), ...named, ...place }
  }

  /** An object may have several files: the one that has the keys. */
  function placeOf(object: string, path: readonly string[]) {
    const located = objects.find(({ definition }) => definition.name === object)
    const places = (located?.files ?? []).flatMap((path_) => {
      const name = nameOf(folder, path_)
      const text = files.find((file) => file.name === name)?.text
      const place = text === undefined ? undefined : findPlace(text, object, path)
      return place ? { file: name, ...place } : []
    })
    return path.length > 0 ? (places.at(-1) ?? places[0]) : places[0]
  }
}

function usesIn(
  files: readonly ApplicationFile[],
  objects: readonly LocatedObject[],
  folder: string,
): LintModelOptions {
  const all = countWords(files.map(({ text }) => text))
  const code = countWords(files.filter(({ isCode }) => isCode).map(({ text }) => text))
  const isDefinedInCode = ({ name }: ObjectModel) =>
    objects.some(
      ({ definition, files: [file = ''] }) =>
        definition.name === name && files.some((each) => each.isCode && each.name === nameOf(folder, file)),
    )
  return {
    // A module also gives a constant the name of its object.
    isMentioned: (object) => (all.get(object.name) ?? 0) > (isDefinedInCode(object) ? 2 : 1),
    isInCode: (field) => (code.get(field.name) ?? 0) > (isDefinedInCode(field.object) ? 1 : 0),
  }
}

function nameOf(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}

function moduleOf(file: string | undefined): string {
  const [top = '', ...below] = file?.split('/') ?? []
  return below.length > 0 ? top : mainModule
}

/** Files with objects or code. */
function filesOf(module: string, files: readonly ApplicationFile[]): string[] {
  return files
    .filter(({ name, isCode }) => moduleOf(name) === module && (isCode || isDefinition(name)))
    .map(({ name }) => name)
}

function isDefinition(name: string): boolean {
  return name === 'app.yaml' || /^objects\/.*\.(?:ya?ml|json)$/.test(name)
}

function byPlace(a: LocatedFinding, b: LocatedFinding): number {
  const [one, other] = [a.file ?? '', b.file ?? '']
  if (one !== other) return one < other ? -1 : 1
  return (a.line ?? 0) - (b.line ?? 0)
}
