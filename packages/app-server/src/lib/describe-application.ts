import type { FieldModel, ObjectModel } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import type { AppDefinition } from './app-definition.js'
import { documentsFolder } from './data-folder.js'
import { documentsPackage } from './open-documents.js'
import { findMigrations } from './migrations/load-migrations.js'
import { modelDigest } from './model-digest.js'
import { loadModel } from './model-of.js'

/** An application as data, for programs that work on its dumps. */
export interface ApplicationDescription {
  readonly format: 'steward-application'
  readonly version: 1
  readonly name: string
  /** See `modelDigest`; `/health` has that of what runs. */
  readonly model: string
  /** Absolute path of the folder of documents, or `package:<name>`. */
  readonly documents: string
  /** In the order of dumps. */
  readonly objects: readonly ObjectDescription[]
}

export interface ObjectDescription {
  readonly name: string
  readonly label: string
  readonly table: string
  /** Every application has it. */
  readonly system: boolean
  /** Its key, when it has several members: together they are unique. */
  readonly key: readonly string[]
  /** Fields of dumps, in their order. */
  readonly fields: readonly FieldDescription[]
}

export interface FieldDescription {
  readonly name: string
  readonly label: string
  readonly column: string
  readonly type: string
  /** The value of a field that is not filled. */
  readonly empty: unknown
  readonly required: boolean
  /** No two records have the same value in it. */
  readonly unique: boolean
  /** created_dt, created_by, updated_dt, updated_by. */
  readonly technical: boolean
  /** For a reference: the object whose records it links to. */
  readonly references?: string
  /** Most characters that its column takes; absent: no limit. */
  readonly length?: number
  readonly pattern?: string
  readonly min?: number
  readonly max?: number
  /** Digits in all and after the point. */
  readonly precision?: number
  readonly scale?: number
}

/** @throws DefinitionError with all mistakes of the objects. */
export async function describeApplication(
  folder: string,
  dataFolder: string,
  definition: AppDefinition,
): Promise<ApplicationDescription> {
  const model = await loadModel(folder, definition)
  const keeper = documentsPackage(definition.documents)
  const system = new Set<string>(systemObjects.map(({ name }) => name))
  return {
    format: 'steward-application',
    version: 1,
    name: definition.name,
    model: modelDigest(model, definition, await findMigrations(folder)),
    documents:
      keeper === undefined
        ? documentsFolder(folder, dataFolder, definition.documents as string | undefined)
        : `package:${keeper}`,
    objects: [...model.objects.values()].map((object) => describeObject(object, system.has(object.name))),
  }
}

function describeObject(object: ObjectModel, system: boolean): ObjectDescription {
  const { name, label, table, key } = object
  const members = key.map((field) => field.name)
  return {
    name,
    label,
    table,
    system,
    key: members.length > 1 ? members : [],
    fields: [object.id, ...object.fields, ...object.technical].map((field) =>
      describeField(field, members, object.technical.includes(field)),
    ),
  }
}

function describeField(field: FieldModel, key: readonly string[], technical: boolean): FieldDescription {
  const { name, label, column, type, required, unique, pattern, definition, columnType } = field
  const { min, max, length: asDefined } = definition as Partial<Record<'min' | 'max' | 'length', number>>
  const {
    length = asDefined,
    precision,
    scale,
  } = columnType as Partial<Record<'length' | 'precision' | 'scale', number>>
  return {
    name,
    label,
    column,
    type: type.name,
    empty: type.empty,
    required,
    unique: unique || (key.length === 1 && key[0] === name),
    technical,
    ...(definition.type === 'reference' && { references: definition.object }),
    ...(length !== undefined && { length }),
    ...(pattern !== undefined && { pattern: pattern.source }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(precision !== undefined && { precision }),
    ...(scale !== undefined && { scale }),
  }
}
