import type { WhoAmI, WireBackup } from '@steward/manager-core'
import type { FieldValues } from '../../lib/action-input.js'
import type { Instance } from '../../lib/instance.js'

/** What a new instance is created from, by the action that creates it. */
export const origins = ['add', 'clone', 'restore'] as const
export type Origin = (typeof origins)[number]

/** What is copied or restored. */
export interface Source {
  /** As it was typed: there may be none of that name. */
  readonly name?: string
  readonly instance?: Instance | undefined
  readonly backup?: WireBackup | undefined
}

export const switches = ['protected', 'auto_save', 'auto_update'] as const

export type Defaults = Readonly<Record<(typeof switches)[number], boolean>> & {
  /** Empty: that is not known before there is a source. */
  readonly database: string
  readonly runtime: string
}

/** What it gets unless something else is chosen. Source: the descriptions of these actions. */
export function defaultsOf(origin: Origin, { instance, backup }: Source, ofAll?: WhoAmI['defaults']): Defaults {
  if (origin === 'add' && ofAll) return ofAll
  const { database = '', runtime = '' } = origin === 'clone' ? (instance ?? {}) : { database: backup?.database ?? '' }
  return { database, runtime, protected: false, auto_save: false, auto_update: false }
}

export interface Chosen {
  readonly values: FieldValues
  readonly source: Source
  readonly defaults: Defaults
  /** Whether the action has such an option. */
  readonly takes: (option: string) => boolean
}

/** What the action is called with; what is as usual is left to the manager. */
export function inputsOf(origin: Origin, { values, source, defaults, takes }: Chosen): FieldValues {
  const { name = '', version = '', database = '', ...others } = values
  const other: FieldValues = database === defaults.database ? {} : { database }
  const rest = Object.fromEntries(Object.entries(others).filter(([key]) => takes(key)))
  if (origin === 'clone') return { ...rest, ...other, name: source.name ?? '', new: name }
  if (origin === 'add') return { ...rest, ...other, name, from: version }
  return { ...rest, ...other, name: source.backup?.name ?? '', from: source.backup?.backup ?? '', as: name }
}
